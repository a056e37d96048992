/** The same pieces, each looked at before it is passed on. */
export async function* watchPieces(
  pieces: AsyncIterable<Buffer>,
  look: (piece: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    look(piece);
    yield piece;
  }
}
