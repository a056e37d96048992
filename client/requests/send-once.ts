import { SvcError } from "../svc-error.ts";
import type { Connection } from "./connection.ts";
import { orAbort } from "./or-abort.ts";
import { factsOf, type RawAnswer, readAnswer } from "./read-answer.ts";

/** A request that is ready to be sent. */
export type Sent = {
  readonly method: string;
  readonly url: string;
  /** Besides those that every request of the connection has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
};

/** Sends a request and reads its answer. Throws an SvcError, or the reason of the caller's signal. */
export async function sendOnce(connection: Connection, sent: Sent): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(sent.timeoutMs);
  const { signal } = sent;
  const headers = await headersOf(connection, { ...sent, timeout });
  try {
    const ends = eitherOf(timeout, signal);
    const response = await sendHead(connection, { ...sent, headers, signal: ends });
    return await readAnswer(response, connection.maxAnswerBytes);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    signal?.throwIfAborted();
    throw timeout.aborted
      ? new SvcError(`No answer came in ${sent.timeoutMs} ms.`, { code: "timeout", cause: error })
      : unreachable(error);
  }
}

type Asking = Pick<Sent, "headers" | "signal"> & { readonly timeout: AbortSignal };

/** All headers of a request. A token that does not come is waited for no longer than an answer. */
export async function headersOf(
  connection: Connection,
  { headers, signal, timeout }: Asking,
): Promise<Headers> {
  const all = await orAbort(eitherOf(timeout, signal), connection.headers).catch(
    (error: unknown) => {
      if (!timeout.aborted || error !== timeout.reason) throw error;
      throw new SvcError("No token came in time.", { code: "timeout", cause: error });
    },
  );
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return all;
}

/** A signal that aborts with the first of both. */
export function eitherOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other]);
}

type Ready = Pick<Sent, "method" | "url" | "body" | "signal"> & { readonly headers: Headers };

/** Sends a request; its answer is still to be read. A redirect is not followed: it may lead the token elsewhere. */
export async function sendHead(
  connection: Connection,
  { method, url, headers, body, signal }: Ready,
): Promise<Response> {
  const response = await connection.fetch(url, {
    method: method.toUpperCase(),
    headers,
    redirect: "manual",
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  const { status, type, redirected } = response;
  const isRedirect = redirected || type === "opaqueredirect" || (status >= 300 && status < 400);
  if (!isRedirect || status === 304) return response;
  await response.body?.cancel();
  const words = `The answer is a redirect${placeOf(response, url)}, which is not followed: take the address that it leads to.`;
  throw new SvcError(words, { code: "redirected", ...factsOf(response) });
}

/** Where a redirect leads, by its origin: the rest may hold a secret. */
function placeOf({ headers }: Response, from: string): string {
  const location = headers.get("location");
  return location !== null && URL.canParse(location, from)
    ? ` to ${new URL(location, from).origin}`
    : "";
}

/** The error of a request that nobody answered. */
export function unreachable(cause: unknown): SvcError {
  // fetch tells the reason there
  const { code } = ((cause as { cause?: unknown } | null)?.cause ?? {}) as { code?: unknown };
  const reason = typeof code === "string" ? code : undefined;
  const why = reason === undefined ? "" : ` (${reason})`;
  if (reason === undefined || !certificateCodes.test(reason))
    return new SvcError(`The broker does not answer${why}.`, { code: "unreachable", cause });
  return new SvcError(`The broker's certificate is not trusted${why}.`, {
    code: "untrusted",
    cause,
  });
}

/** What TLS says of a certificate that it does not take: asking again would not help. */
const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|UNABLE_TO_(?:GET|VERIFY)_)/;
