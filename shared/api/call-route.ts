import { readLines } from "../../client/logs/read-lines.ts";
import type { Connection } from "../../client/requests/connection.ts";
import { notFound } from "../../client/requests/not-found.ts";
import { openAnswer } from "../../client/requests/open-answer.ts";
import type { RawAnswer } from "../../client/requests/read-answer.ts";
import { sendAgain } from "../../client/requests/send-again.ts";
import { type Target, targetUrl } from "../../client/requests/target-url.ts";
import { SvcError } from "../../client/svc-error.ts";
import { BrokerUnreachable, brokerError } from "./broker-errors.ts";
import { connectionTo, type Endpoint } from "./endpoint.ts";
import type { Route, RouteAnswer, RouteBody, RouteInput } from "./route.ts";

const patienceMs = 40_000; // longer than the longest parked request

/** Calls a route of shared/api/ by its contract; throws an SvcError, of which BrokerUnreachable and BrokerUntrusted are two. */
export async function callRoute<R extends Route>(
  endpoint: Endpoint,
  route: R,
  input: RouteInput<R>,
): Promise<RouteAnswer<R>> {
  let isRepeated = false;
  const onAgain = (error: SvcError, ms: number): void => {
    isRepeated = true;
    endpoint.onAgain?.(error, ms);
  };
  const connection = connectionTo({ ...endpoint, onAgain });
  const isKeyed = takesKey(route) && connection.retries > 0;
  const answer = await send(endpoint, connection, {
    method: route.method,
    url: urlOf(connection, route, input),
    body: input.bodyBytes ?? input.bodyText ?? input.body,
    headers: { ...(isKeyed && { "idempotency-key": crypto.randomUUID() }), ...input.headers },
    signal: input.signal,
  });
  const headers = new Headers(answer.headers);
  if (answer.status === 404 && route.responses[204] === undefined) throw goneBefore();
  const status = answer.status === 404 ? 204 : answer.status;
  // What an attempt before made, whose answer was lost, was not there before this call.
  if (isRepeated) headers.delete("idempotent-replayed");
  const text = textOf(answer);
  const isJson = /json/.test(headers.get("content-type") ?? "") && text !== "";
  const read: unknown = isJson ? JSON.parse(text) : text === "" ? undefined : text;
  return { status, headers, body: read as RouteBody<R>, text }; // the contract says so
}

/** Opens a route whose answer is lines, which come as it is read, for as long as `signal` lets it. Throws as callRoute does. */
export async function openLines<R extends Route>(
  endpoint: Endpoint,
  route: R,
  input: RouteInput<R>,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const connection = connectionTo(endpoint);
  const opening = openAnswer(connection, {
    url: urlOf(connection, route, input),
    headers: input.headers ?? {},
    signal,
    timeout: AbortSignal.timeout(patienceMs),
  });
  return wholeLines(await told(endpoint, opening));
}

async function* wholeLines(response: Response): AsyncGenerator<string> {
  try {
    yield* readLines(response);
  } catch (cause) {
    if (!(cause instanceof SvcError) || cause.code !== "unreachable") throw cause;
    throw new BrokerUnreachable(cause.message, { cause });
  }
}

export type RawRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
};
export type TextAnswer = Omit<RawAnswer, "bytes"> & { readonly text: string };

/** Sends one request to any path. Throws as callRoute does. */
export async function sendRequest(
  endpoint: Endpoint,
  { method, path, body }: RawRequest,
): Promise<TextAnswer> {
  const connection = connectionTo(endpoint);
  const { origin, path: before } = connection.base;
  const sent = { method: method.toLowerCase(), url: origin + before + path, body };
  const answer = await send(endpoint, connection, sent);
  return { status: answer.status, headers: answer.headers, text: textOf(answer) };
}

type Sending = Pick<RawRequest, "method" | "body"> & {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

async function send(
  endpoint: Endpoint,
  connection: Connection,
  { method, url, body, headers, signal }: Sending,
): Promise<RawAnswer> {
  const hasBody = body !== undefined;
  const all = { ...(hasBody && { "content-type": "application/json" }), ...headers };
  const sent = {
    method,
    url,
    headers: all,
    body: hasBody ? textToSend(body) : undefined,
    signal,
    timeoutMs: patienceMs,
  };
  const retries = mayRepeat(method, all) ? connection.retries : 0;
  const repeating = method === "get" ? forReads(connection) : connection;
  return await told(endpoint, sendAgain(repeating, sent, { retries }));
}

/** Whether a read that was lost is made again is for its caller to say: watches and waits have a patience of their own. */
const forReads = (connection: Connection): Connection => ({
  ...connection,
  mayPass: (error) => error.status !== 0 && connection.mayPass(error),
});

/** Of a DELETE that was made again, whose answer would tell what was deleted. */
const goneBefore = (): Error =>
  notFound("It is gone. An attempt before, whose answer was lost, most likely deleted it.");

function textToSend(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

/**
 * Whether a request may be made again whose answer was lost. A POST may have done its work, unless its key tells; so may
 * a change of one version, whose repetition would be refused as somebody else's.
 */
function mayRepeat(method: string, headers: Readonly<Record<string, string>>): boolean {
  if ("if-match" in headers) return false;
  return method !== "post" || "idempotency-key" in headers;
}

/** By the route's rule: createRoute writes it. */
function takesKey(route: Route): boolean {
  const { rule } = route as { rule?: { readonly idempotent?: string } };
  return rule?.idempotent !== undefined;
}

async function told<Answer>({ url }: Endpoint, asked: Promise<Answer>): Promise<Answer> {
  return await asked.catch((error: unknown) => {
    throw brokerError(url, error);
  });
}

const textOf = ({ bytes }: RawAnswer): string => new TextDecoder().decode(bytes);

/** A value that would lead to another path names nothing. */
function urlOf({ base }: Connection, { path }: Route, input: object): string {
  const { params, query } = input as Pick<Target, "params" | "query">; // typed by the route's own schemas
  try {
    return targetUrl(base, { path, params, query });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw notFound("Nothing has an empty name, or one that is dots.", cause);
  }
}
