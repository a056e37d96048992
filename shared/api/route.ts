import type { RouteConfig, z } from "@hono/zod-openapi";

/** What createRoute answers: every contract in this folder. */
export type Route = RouteConfig;

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
    /** Bytes that are sent in place of it; the headers say of which type. */
    readonly bodyBytes?: Uint8Array;
    /** Gives the call up when it aborts. */
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
