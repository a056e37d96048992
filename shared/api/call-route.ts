import type { RouteConfig, z } from "@hono/zod-openapi";
import type { ProblemError } from "../problem.ts";
import { type CertificateFault, certificateFault } from "./certificate-fault.ts";

/** What createRoute answers: every contract in this folder. */
export type Route = RouteConfig;

/** A broker to call, and as whom. */
export type Endpoint = {
  readonly url: string;
  readonly token?: string | undefined;
  /** Chooses the org where the token reaches several. */
  readonly orgId?: string | undefined;
  readonly userAgent?: string;
  readonly timeoutMs?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the network's: a broker asks itself so. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

type Schema<T> = T extends z.ZodType ? z.input<T> : never;
type RequestOf<R> = R extends { request: infer Request } ? Request : object;
type ParamsOf<R> =
  RequestOf<R> extends { params: infer S } ? { params: Schema<S> } : { params?: never };
type QueryOf<R> =
  RequestOf<R> extends { query: infer S } ? { query?: Partial<Schema<S>> } : { query?: never };
type BodyOf<R> =
  RequestOf<R> extends { body: { content: { "application/json": { schema: infer S } } } }
    ? { body: Schema<S> }
    : { body?: never };

/** What a route takes, by its own schemas. */
export type RouteInput<R> = ParamsOf<R> &
  QueryOf<R> &
  BodyOf<R> & {
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent in place of the body's JSON, where its very bytes count. */
    readonly bodyText?: string;
    /** Gives the call up when it aborts: BrokerUnreachable. */
    readonly signal?: AbortSignal;
  };

type ContentOf<Response> = Response extends { content: { "application/json": { schema: infer S } } }
  ? S extends z.ZodType
    ? z.output<S>
    : never
  : Response extends { content: { "text/plain": unknown } }
    ? string
    : undefined;
type Responses<R> = R extends { responses: infer All } ? Omit<All, 304> : never;

/** What a route answers, by its own schemas. */
export type RouteBody<R> = {
  [S in keyof Responses<R>]: ContentOf<Responses<R>[S]>;
}[keyof Responses<R>];

export type RouteAnswer<R> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: RouteBody<R>;
  /** The body as it came. */
  readonly text: string;
};

/** A broker's "no", with what its problem document says. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: number;
  readonly code: string;
  readonly errors: readonly ProblemError[];
  readonly requestId: string;

  constructor(response: Response, text: string) {
    const problem = readProblem(text);
    super(problem.detail ?? problem.title ?? `The broker answered ${response.status}.`);
    this.status = response.status;
    this.code = problem.code ?? "";
    this.errors = problem.errors ?? [];
    this.requestId = response.headers.get("x-request-id") ?? "";
  }
}

/** Nobody answered: no connection, or none in time. */
export class BrokerUnreachable extends Error {
  override readonly name = "BrokerUnreachable";
  /** Where it was looked for; none where it was there, and its connection broke. */
  readonly url: string | undefined;

  constructor(words: string, { url, ...options }: ErrorOptions & { readonly url?: string }) {
    super(words, options);
    this.url = url;
  }
}

/** Somebody answered whose certificate is not taken: no request was sent. */
export class BrokerUntrusted extends Error {
  override readonly name = "BrokerUntrusted";
  readonly kind: CertificateFault["kind"];

  constructor({ kind, words }: CertificateFault, options: ErrorOptions) {
    super(words, options);
    this.kind = kind;
  }
}

const patienceMs = 40_000; // longer than the longest parked request

/** Calls a route of shared/api/ by its contract; throws RequestRefused, BrokerUnreachable or BrokerUntrusted. */
export async function callRoute<R extends Route>(
  endpoint: Endpoint,
  route: R,
  input: RouteInput<R>,
): Promise<RouteAnswer<R>> {
  const path = pathOf(route, input);
  const body = input.bodyText ?? input.body;
  const { headers: given, signal } = input;
  const request = { method: route.method, path, body, headers: given, signal };
  const response = await sendRequest(endpoint, request);
  const { status, headers, text } = response;
  const isJson = /json/.test(headers.get("content-type") ?? "") && text !== "";
  const read: unknown = isJson ? JSON.parse(text) : text === "" ? undefined : text;
  return { status, headers, body: read as RouteBody<R>, text }; // the contract says so
}

/**
 * Opens a route whose answer goes on; its body is the caller's to read, for as long as `signal` lets it. Throws as
 * callRoute does.
 */
export async function openRoute<R extends Route>(
  endpoint: Endpoint,
  route: R,
  input: RouteInput<R>,
  signal: AbortSignal,
): Promise<Response> {
  const path = pathOf(route, input);
  const headers = headersOf(endpoint, { method: route.method, path, headers: input.headers });
  const response = await fetch(endpoint.url + path, { method: "GET", headers, signal }).catch(
    (error: unknown) => {
      throw unreachable(endpoint.url, error);
    },
  );
  if (response.ok) return response;
  throw new RequestRefused(response, await response.text());
}

function pathOf(route: Route, { params, query }: { params?: unknown; query?: unknown }): string {
  return fillPath(route.path, params) + queryText(query);
}

export type RawRequest = {
  readonly method: string;
  readonly path: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
};
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Sends one request to any path. Throws as callRoute does. */
export async function sendRequest(endpoint: Endpoint, request: RawRequest): Promise<RawAnswer> {
  const { body, signal } = request;
  const hasBody = body !== undefined;
  const timeout = AbortSignal.timeout(endpoint.timeoutMs ?? patienceMs);
  const init = {
    method: request.method.toUpperCase(),
    headers: headersOf(endpoint, request),
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    ...(hasBody && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
  const answer = await answerOf(endpoint, request.path, init);
  if (answer.response.ok || answer.response.status === 304) {
    const { status, headers } = answer.response;
    return { status, headers, text: answer.text };
  }
  throw new RequestRefused(answer.response, answer.text);
}

function headersOf(endpoint: Endpoint, request: RawRequest): Headers {
  const headers = new Headers({ accept: "application/json, application/problem+json, */*;q=0.1" });
  if (endpoint.token !== undefined) headers.set("authorization", `Bearer ${endpoint.token}`);
  if (endpoint.orgId !== undefined) headers.set("x-svc-org-id", endpoint.orgId);
  if (endpoint.userAgent !== undefined) headers.set("user-agent", endpoint.userAgent);
  if (request.body !== undefined) headers.set("content-type", "application/json");
  const given = { ...endpoint.headers, ...request.headers };
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return headers;
}

async function answerOf(
  endpoint: Endpoint,
  path: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await (endpoint.fetch ?? fetch)(endpoint.url + path, init);
    return { response, text: await response.text() };
  } catch (error) {
    throw unreachable(endpoint.url, error);
  }
}

function unreachable(url: string, error: unknown): BrokerUnreachable | BrokerUntrusted {
  const { cause } = error as { cause?: { code?: unknown } }; // fetch tells the reason there
  const fault = certificateFault(cause, new URL(url).host);
  if (fault !== undefined) return new BrokerUntrusted(fault, { cause: error });
  const why = typeof cause?.code === "string" ? ` (${cause.code})` : "";
  return new BrokerUnreachable(`No broker responds at ${url}${why}.`, { url, cause: error });
}

function fillPath(path: string, params: unknown): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>; // typed by the route's own schema
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
}

type QueryValue = string | number | boolean | undefined;

/** A list is sent as the same name several times. */
function queryText(query: unknown): string {
  const given = Object.entries((query ?? {}) as Record<string, QueryValue | QueryValue[]>);
  const sent = new URLSearchParams();
  for (const [name, value] of given) {
    for (const each of [value].flat()) if (each !== undefined) sent.append(name, `${each}`);
  }
  return sent.size === 0 ? "" : `?${sent.toString()}`;
}

type ProblemText = {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly ProblemError[];
};

/** A proxy on the way may answer anything; only what a problem document has is read. */
function readProblem(text: string): ProblemText {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}
