/** What clients of Kubernetes take for a refusal, in its API's own form. */
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

/** A refusal with this HTTP status and these words. */
export function statusAnswer(code: number, message: string): StatusAnswer {
  const reason = reasons[code] ?? "InternalError";
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return { code, body: JSON.stringify({ ...status, message, reason, code }) };
}

/** What one request comes to its end with, in place of an answer. */
export class FrontRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
