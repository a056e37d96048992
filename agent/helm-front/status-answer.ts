/** A refusal as Kubernetes clients expect it: a Status object. */
export type StatusAnswer = { readonly code: number; readonly body: string };

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "AlreadyExists",
  413: "RequestEntityTooLarge",
};

/** A refusal with this HTTP status and message. */
export function statusAnswer(code: number, message: string): StatusAnswer {
  const reason = reasons[code] ?? "InternalError";
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return { code, body: JSON.stringify({ ...status, message, reason, code }) };
}

/** Thrown to end one request with a refusal. */
export class FrontRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
