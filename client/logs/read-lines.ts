import { partsOf } from "../requests/parts-of.ts";
import { SvcError } from "../svc-error.ts";

/** A record has at most 64 KiB of text, and its attributes. */
const longestLine = 4 * 1024 * 1024;

/** The lines of an answer as they come; an SvcError when the connection breaks before its end. */
export async function* readLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of wholeParts(response)) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLine)
      throw new SvcError("A line of the log is too long.", { code: "answer_too_large" });
    yield* lines;
  }
  if (rest !== "") yield rest;
}

async function* wholeParts(response: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* partsOf(response);
  } catch (cause) {
    throw new SvcError("The connection to the broker broke.", { code: "unreachable", cause });
  }
}
