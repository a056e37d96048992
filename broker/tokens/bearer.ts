import { problem } from "../../shared/problem.ts";

const scheme = /^bearer +(\S{1,255})$/i;

/** The secret in an Authorization header; 401 when there is none. */
export function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw problem.unauthenticated("This route needs a token: Authorization: Bearer svc_….");
  }
  const secret = scheme.exec(authorization)?.[1];
  if (secret === undefined) {
    throw problem.unauthenticated(
      "The Authorization header is not of the form Bearer <token>.",
      "invalid_token",
    );
  }
  return secret;
}
