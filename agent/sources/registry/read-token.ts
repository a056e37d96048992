import { SourceFault } from "../source-failure.ts";

const mostBytes = 2 ** 20;

/**
 * Reads the token from a token server's answer; undefined if there is none. Throws SourceFault, also for more than 1
 * MiB.
 */
export async function readToken({
  body,
}: {
  readonly body: AsyncIterable<Uint8Array> | null;
}): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body ?? []) {
      bytes += piece.length;
      if (bytes > mostBytes) {
        throw new SourceFault("auth", "the registry's token server sent more than 1 MiB");
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(
      "network",
      "the registry's token server closed the connection in the middle of its answer",
    );
  }
  return tokenIn(Buffer.concat(pieces).toString("utf8"));
}

function tokenIn(text: string): string | undefined {
  try {
    const said = JSON.parse(text) as Record<string, unknown> | null; // checked below
    const token = said?.["token"] ?? said?.["access_token"];
    return typeof token === "string" && token !== "" ? token : undefined;
  } catch {
    return undefined;
  }
}
