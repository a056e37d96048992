/** How a route is called. */
export type Method = "get" | "post" | "put" | "patch" | "delete";

type AnyOperation = {
  readonly parameters: { readonly path?: object; readonly query?: object };
  readonly requestBody?: { readonly content: { readonly "application/json": unknown } };
  readonly responses: {
    readonly 200: { readonly content: { readonly "application/json": unknown } };
  };
};

/** Where nothing is known of the routes: any path, any answer. */
export type AnyPaths = Readonly<Record<string, Readonly<Record<Method, AnyOperation>>>>;

/** The paths that have this method. */
export type PathWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Readonly<Record<M, object>> ? P : never;
}[keyof Paths] &
  string;

/** What a document says of one method of one path. */
export type OperationOf<Paths, P extends string, M extends Method> = P extends keyof Paths
  ? Paths[P] extends Readonly<Record<M, infer Operation>>
    ? Operation
    : never
  : never;

/** A member of the input that may be left out where nothing of it is required, and must be where there is none. */
type Member<Name extends string, Value> = [Value] extends [never]
  ? { readonly [N in Name]?: never }
  : object extends Value
    ? { readonly [N in Name]?: Value | undefined }
    : { readonly [N in Name]: Value };

type ParametersOf<Operation, Where extends string> = Operation extends {
  parameters: { [W in Where]?: infer Given };
}
  ? Exclude<Given, undefined>
  : never;

type BodyOf<Operation> = Operation extends { requestBody?: infer Body }
  ? [Exclude<Body, undefined>] extends [never]
    ? never
    : Exclude<Body, undefined> extends { content: infer Content }
      ? Content extends { "application/json": infer Json }
        ? Json
        : Uint8Array | string
      : never
  : never;

/** What a call takes besides what its route has. */
export type CallOptions = {
  /** Gives the call up: it throws this signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For one attempt; the client's, unless told. */
  readonly timeoutMs?: number | undefined;
  /** How often it is made again; the client's, unless told. A POST to a route that takes no key: not at all, unless told. */
  readonly retries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of a POST; one is made unless told. With null there is none, and the call is made once. */
  readonly idempotencyKey?: string | null | undefined;
};

/** What a route takes. */
export type InputOf<Operation> = Member<"params", ParametersOf<Operation, "path">> &
  Member<"query", ParametersOf<Operation, "query">> &
  Member<"body", BodyOf<Operation>> &
  CallOptions;

/** The input as an argument: none is needed where nothing of it is required. */
export type InputArgs<Input> = object extends Input ? [input?: Input] : [input: Input];

type Success = 200 | 201 | 202 | 204 | 206;
type ContentOf<Response> = Response extends { content: infer Content }
  ? Content extends { "application/json": infer Json }
    ? Json
    : Content extends { "application/octet-stream": unknown }
      ? Uint8Array
      : string
  : undefined;

/** What a route answers. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? { [S in keyof Responses & Success]: ContentOf<Responses[S]> }[keyof Responses & Success]
  : unknown;

/** What one named route answers; unknown where nothing is known of it. */
export type AnswerAt<Paths, P extends string, M extends Method> = P extends keyof Paths
  ? AnswerOf<OperationOf<Paths, P, M>>
  : unknown;

/** The query of one named route. */
export type QueryAt<Paths, P extends string> = P extends keyof Paths
  ? ParametersOf<OperationOf<Paths, P, "get">, "query">
  : Readonly<Record<string, unknown>>;

/** What stands in the pages of an answer; unknown where nothing is known of it. */
export type ItemOf<Answer> = unknown extends Answer
  ? unknown
  : Answer extends { items: readonly (infer Item)[] }
    ? Item
    : never;

type Page = { readonly items: readonly unknown[]; readonly next_cursor: unknown };

/** Whether an answer is, or can be, a page, and its query says which and how long. */
type IsPaged<Answer, Query> = unknown extends Answer
  ? true
  : [Extract<Answer, Page>] extends [never]
    ? false
    : [Query] extends [never]
      ? false
      : "cursor" | "limit" extends keyof Query
        ? true
        : false;

/** The paths that answer pages. */
export type ListPath<Paths> = {
  [P in PathWith<Paths, "get">]: IsPaged<AnswerAt<Paths, P, "get">, QueryAt<Paths, P>> extends true
    ? P
    : never;
}[PathWith<Paths, "get">];
