import { randomUUID } from "node:crypto";
import type { CallOptions, Method } from "../route-types.ts";
import type { Connection } from "./connection.ts";
import { type Answer, parseAnswer } from "./read-answer.ts";
import { sendAgain } from "./send-again.ts";
import { targetUrl } from "./target-url.ts";

/** What a call of any route takes. */
export type AnyInput = CallOptions & {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
};

/** Calls a route by its method and its path. */
export type Request = (method: Method, path: string, input?: AnyInput) => Promise<Answer>;

/** Calls of one connection. */
export function makeRequest(connection: Connection): Request {
  return async (method, path, input = {}) => {
    const { signal, timeoutMs = connection.timeoutMs } = input;
    signal?.throwIfAborted();
    const url = targetUrl(connection.base, { path, params: input.params, query: input.query });
    const headers = headersFor(method, input);
    const sent = { method, url, headers, body: bodyText(input.body), signal, timeoutMs };
    const isKeyed = "idempotency-key" in headers && connection.keyedPosts.has(path);
    // Other POSTs may have done their work already, and would do it again.
    const usual = method !== "post" || isKeyed ? connection.retries : 0;
    const retries = isOnce(method, input, headers) ? 0 : (input.retries ?? usual);
    return parseAnswer(await sendAgain(connection, sent, { retries }));
  };
}

function headersFor(method: Method, input: AnyInput): Readonly<Record<string, string>> {
  const isBytes = input.body instanceof Uint8Array;
  const headers: Record<string, string> = {};
  if (input.body !== undefined && !isBytes) headers["content-type"] = "application/json";
  const made = isBytes ? null : randomUUID(); // bytes are stored as often as they come
  const key = input.idempotencyKey === undefined ? made : input.idempotencyKey;
  if (method === "post" && key !== null) headers["idempotency-key"] = key;
  for (const [name, value] of Object.entries(input.headers ?? {}))
    headers[name.toLowerCase()] = value;
  return headers;
}

/**
 * Whether a call is never made again. A change of one version may have been made by the attempt whose answer was lost:
 * its repetition would be refused as somebody else's.
 */
function isOnce(method: Method, { idempotencyKey }: AnyInput, headers: object): boolean {
  return "if-match" in headers || (method === "post" && idempotencyKey === null);
}

/** Bytes are copied: whoever gave them may write over them while they are sent again. */
function bodyText(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
