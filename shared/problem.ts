/**
 * Where a request is wrong, in one form everywhere: `#/jobs/0/type` in the body, `?limit` in the query,
 * `header:Idempotency-Key` in a header; `check:database` is a check of /readyz.
 */
export type Pointer = "#" | `#/${string}` | `?${string}` | `header:${string}` | `check:${string}`;

/** One thing wrong in a request: where, what for machines, what for people. */
export type ProblemError = {
  readonly pointer: Pointer;
  readonly code: string;
  readonly detail: string;
};

type ProblemParts = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly ProblemError[];
  /** The errors as JSON, where they were finished elsewhere; instead of `errors`. */
  readonly errorsText?: string | undefined;
  /** Sent with the answer: Retry-After, Allow, WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the answer. */
  readonly members?: Readonly<Record<string, unknown>>;
};

/** A refusal that was expected: answered with its own status, never logged as a fault. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  /** The word that clients switch on; it stays the same when the detail is worded anew. */
  readonly code: string;
  readonly errors: readonly ProblemError[];
  readonly errorsText: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(parts: ProblemParts) {
    const { status, code, detail, errors = [], errorsText, headers = {}, members = {} } = parts;
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.errorsText = errorsText;
    this.headers = headers;
    this.members = members;
  }
}

/** One constructor for each kind of refusal: `throw problem.notFound("runner")`. */
export const problem = {
  malformed: (code: string, detail: string, pointer?: Pointer): Problem =>
    new Problem({ status: 400, code, detail, errors: at(pointer, code, detail) }),

  unauthenticated: (detail: string, error?: "invalid_token"): Problem =>
    new Problem({
      status: 401,
      code: error ?? "token_missing",
      detail,
      headers: {
        "www-authenticate": `Bearer realm="svc"${error === undefined ? "" : `, error="${error}"`}`,
      },
    }),

  forbidden: (code: string, detail: string): Problem => new Problem({ status: 403, code, detail }),

  notFound: (what: string, detail = `This ${what} does not exist.`): Problem =>
    new Problem({
      status: 404,
      code: `${what.replaceAll(/[ -]/g, "_")}_not_found`,
      detail,
    }),

  methodNotAllowed: (allow: string): Problem =>
    new Problem({
      status: 405,
      code: "method_not_allowed",
      detail: `Method not allowed. This path supports ${allow}.`,
      headers: { allow },
    }),

  conflict: (
    code: string,
    detail: string,
    members: Readonly<Record<string, unknown>> = {},
  ): Problem => new Problem({ status: 409, code, detail, members }),

  preconditionFailed: (detail: string): Problem =>
    new Problem({ status: 412, code: "precondition_failed", detail }),

  tooLarge: (maxBytes: number): Problem =>
    new Problem({
      status: 413,
      code: "body_too_large",
      detail: `The body is too large: at most ${maxBytes} bytes are allowed.`,
      headers: { connection: "close" },
    }),

  /** Few bytes may hold a great many things, each of which costs as much as a large one. */
  tooManyParts: (what: string, most: number): Problem =>
    new Problem({
      status: 413,
      code: "too_many_parts",
      detail: `Too many ${what}: at most ${most} are allowed per request. Split them into several requests.`,
    }),

  unsupportedMediaType: (detail: string): Problem =>
    new Problem({ status: 415, code: "unsupported_media_type", detail }),

  /** Validation: every error names its place. */
  invalid: (errors: readonly ProblemError[]): Problem =>
    new Problem({ status: 422, code: "invalid", detail: summary(errors), errors }),

  tooMany: (detail: string, retryAfterS: number, code = "too_many_requests"): Problem =>
    new Problem({ status: 429, code, detail, headers: { "retry-after": String(retryAfterS) } }),

  unavailable: (detail: string, retryAfterS: number): Problem =>
    new Problem({
      status: 503,
      code: "unavailable",
      detail,
      headers: { "retry-after": String(retryAfterS) },
    }),
} as const;

function at(pointer: Pointer | undefined, code: string, detail: string): ProblemError[] {
  return pointer === undefined ? [] : [{ pointer, code, detail }];
}

function summary([first, ...rest]: readonly ProblemError[]): string {
  if (first === undefined) return "The request is invalid.";
  const more = rest.length === 0 ? "" : ` (and ${rest.length} more)`;
  return `${first.pointer}: ${first.detail}${more}`;
}
