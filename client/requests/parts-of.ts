/** The bytes of an answer as they come. */
export function partsOf({ body }: Response): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return body === null ? [] : (body as ReadableStream<Uint8Array>); // as fetch has it
}
