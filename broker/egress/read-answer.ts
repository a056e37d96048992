import type { IncomingMessage } from "node:http";

/** What a server answered, whatever its status. */
export type Answer = {
  readonly kind: "answered";
  readonly status: number;
  /** Names in lower case; of a repeated header the values, joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** As UTF-8; what is no UTF-8, and U+0000, is U+FFFD. */
  readonly body: string;
  /** False when the body was longer than asked for, or broke off. */
  readonly isWhole: boolean;
  /** What Retry-After asks for, one hour at most. */
  readonly retryAfterMs?: number;
};

const mostRetryAfterMs = 3_600_000;

/** Reads an answer of which the headers are there, at most so many bytes of its body, and gives up its connection. */
export async function readAnswer(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Answer> {
  const { bytes, isEnded } = await readBody(response, maxBytes);
  // A body without a length ends with its connection, also when that is given up here.
  const isWhole = isEnded && !signal.aborted;
  const retryAfterMs = parseRetryAfter(response.headers["retry-after"]);
  // A character that is cut off at the end is left out.
  const body = new TextDecoder().decode(bytes, { stream: !isWhole }).replaceAll("\0", "\uFFFD");
  return {
    kind: "answered",
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(response.headersDistinct).map(([name, values = []]) => [
        name,
        values.join(", "),
      ]),
    ),
    body,
    isWhole,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The first bytes; what comes after an error is missing, and the answer counts nevertheless. */
async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isEnded: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isEnded = true;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    isEnded = false;
  }
  response.destroy();
  return { bytes: Buffer.concat(chunks), isEnded: isEnded && size <= maxBytes };
}

/** Seconds, or a date of HTTP's form: JavaScript would read much else as one. */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isDate = /^[A-Z][a-z]+, /.test(text);
  const ms = isDate ? Date.parse(text) - Date.now() : /^\d+$/.test(text) ? +text * 1000 : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostRetryAfterMs);
}
