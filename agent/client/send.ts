import type {
  Agent as HttpAgent,
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
} from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { type CertificateFault, certificateFault } from "../../shared/api/certificate-fault.ts";
import { Unanswered } from "./broker-errors.ts";
import { http, https } from "./node-http.ts";

/** Keeps connections open; knows proxies and certificates. */
export type Transport = {
  readonly origin: URL;
  readonly agent: HttpAgent | HttpsAgent;
  readonly close: () => void;
};

export type Sending = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** The timeout for the whole exchange, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The most bytes of an answer that are read; by default one megabyte, enough for all answers without plans. */
  readonly mostBytes?: number | undefined;
  /**
   * Throws Unanswered also for a kept connection that was closed, instead of sending again: the caller must know that
   * it retries.
   */
  readonly isSentOnce?: boolean | undefined;
  /** For an answer of two lines (NDJSON). */
  readonly firstLine?: FirstLine | undefined;
};

/** The first line is told as soon as it is there; the answer's text is then what follows, for which the clock begins anew. */
export type FirstLine = {
  readonly tell: (line: Received) => void;
  readonly thenTimeoutMs: number;
};

export type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** When the head of the answer arrived, and how long it took. */
  readonly atMs: number;
  readonly tookMs: number;
};

const usualBytes = 2 ** 20;

/**
 * Sends one request and reads the whole answer, whatever its status. Throws Unanswered when there is none. If a kept
 * connection was closed at the same moment, the request is sent once more on a new one.
 */
export async function send(transport: Transport, sending: Sending): Promise<Received> {
  try {
    return await trySending(transport, sending);
  } catch (error) {
    const isAgain = error instanceof StaleConnection && sending.isSentOnce !== true;
    if (isAgain) return await trySending(transport, sending);
    throw error;
  }
}

/** An answer whose body is not read yet. */
export type Opened = Pick<Received, "status" | "headers"> & { readonly body: IncomingMessage };

/**
 * Sends one request and returns after the answer's head; `timeoutMs` limits the head, `signal` also the body. Throws
 * Unanswered without a head.
 */
export async function sendForBody(transport: Transport, sending: Sending): Promise<Opened> {
  const request = open(transport, sending);
  const bound = bindTo(request, sending);
  try {
    const body = await headOf(request, sending.body);
    body.once("close", bound.leave);
    return { status: body.statusCode ?? 0, headers: body.headers, body };
  } catch (error) {
    bound.leave();
    sending.signal?.throwIfAborted();
    throw unanswered(transport, request, bound.isLate() ? "timed out" : reasonOf(transport, error));
  } finally {
    bound.stopClock();
  }
}

async function headOf(request: ClientRequest, body: Sending["body"]): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on("response", resolve).on("error", reject);
  request.end(body);
  return await promise;
}

class StaleConnection extends Unanswered {}

/** There was no answer in time. */
export class TimedOut extends Unanswered {}

/** The answer is too large; a retry would not help. */
export class TooLong extends Unanswered {}

async function trySending(transport: Transport, sending: Sending): Promise<Received> {
  const request = open(transport, sending);
  const bound = bindTo(request, sending);
  const startedMs = performance.now();
  try {
    const response = await headOf(request, sending.body);
    const [atMs, tookMs] = [Date.now(), performance.now() - startedMs];
    const head = { status: response.statusCode ?? 0, headers: response.headers, atMs, tookMs };
    const { firstLine, mostBytes = usualBytes } = sending;
    const isInLines = head.headers["content-type"]?.startsWith(linesType) === true;
    const onLine = (line: string): void => {
      bound.restartClock(firstLine?.thenTimeoutMs ?? sending.timeoutMs);
      firstLine?.tell({ ...head, text: line });
    };
    const text = await restOf(
      response,
      mostBytes,
      isInLines && firstLine !== undefined ? onLine : undefined,
    );
    return { ...head, text };
  } catch (error) {
    sending.signal?.throwIfAborted();
    if (error instanceof TooLong) throw new TooLong(wordsOf(transport, error.message));
    throw unanswered(transport, request, bound.isLate() ? "timed out" : reasonOf(transport, error));
  } finally {
    bound.stopClock();
    bound.leave();
  }
}

/** Ends a request at its timeout or when its signal aborts. AbortSignal.any would cost more than the request. */
function bindTo(request: ClientRequest, { timeoutMs, signal }: Sending) {
  let isLate = false;
  const end = (): void => void request.destroy(new Error("the request was aborted"));
  const endLate = (): void => {
    isLate = true;
    end();
  };
  let timer = setTimeout(endLate, timeoutMs).unref();
  signal?.addEventListener("abort", end, { once: true });
  return {
    isLate: () => isLate,
    stopClock: () => clearTimeout(timer),
    restartClock: (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(endLate, ms).unref();
    },
    leave: () => signal?.removeEventListener("abort", end),
  };
}

function open({ origin, agent }: Transport, sending: Sending): ClientRequest {
  const { method, path, headers, body, signal } = sending;
  signal?.throwIfAborted();
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const isHttps = origin.protocol === "https:";
  return (isHttps ? https : http).request({
    method,
    protocol: origin.protocol,
    hostname: origin.hostname.replace(/^\[|\]$/g, ""),
    port: origin.port === "" ? (isHttps ? 443 : 80) : Number(origin.port),
    path: origin.pathname.replace(/\/$/, "") + path,
    headers: { ...headers, ...(method !== "GET" && { "content-length": length }) },
    agent,
  });
}

/** What follows the first line, where that is asked for; else all of it. Node reports a body that ends early as an error, also a chunked one. */
async function restOf(
  response: IncomingMessage,
  mostBytes: number,
  onLine: ((line: string) => void) | undefined,
): Promise<string> {
  let chunks: Buffer[] = [];
  let length = 0;
  let tell = onLine;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the response and its connection.
    if (length > mostBytes) throw new TooLong(`the response is larger than ${mostBytes} bytes`);
    const end = tell === undefined ? -1 : chunk.indexOf(lineFeed);
    if (end < 0) {
      chunks.push(chunk);
      continue;
    }
    tell?.(Buffer.concat([...chunks, chunk.subarray(0, end)]).toString("utf8"));
    tell = undefined;
    chunks = [chunk.subarray(end + 1)];
  }
  return Buffer.concat(chunks).toString("utf8");
}

const linesType = "application/x-ndjson";
const lineFeed = 0x0a;

const trustHints: Readonly<Record<CertificateFault["kind"], string>> = {
  "unknown-issuer":
    "If it is your own or your company's CA, give its certificate with ca-file; otherwise someone may be intercepting the connection.",
  "not-of-today": "Renew it at the broker, or correct this host's clock.",
  "other-name": "Check the spelling of broker-url.",
  other: "svc-agent doctor shows it.",
};

const wordsOf = ({ origin }: Transport, why: string): string =>
  `No answer from ${origin.origin} (${why}).`;

function unanswered(transport: Transport, request: ClientRequest, why: string): Unanswered {
  if (why === "timed out") return new TimedOut(wordsOf(transport, why));
  const isStale = request.reusedSocket && (why === "ECONNRESET" || why === "EPIPE");
  const words = wordsOf(transport, why);
  return isStale ? new StaleConnection(words) : new Unanswered(words);
}

function reasonOf({ origin }: Transport, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const fault = certificateFault(error, origin.host);
  return fault === undefined ? (code ?? message) : `${fault.words} ${trustHints[fault.kind]}`;
}
