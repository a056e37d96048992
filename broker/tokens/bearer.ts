import { problem } from "../../shared/problem.ts";

/** RFC 6750: the scheme in any case, spaces, and one b64token. What follows it, or other white space, makes it another. */
const scheme = /^bearer +([\w.~+/-]{1,255}=*)$/i;
const longest = 1024;

/** The secret in an Authorization header; 401 when there is none. */
export function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw problem.unauthenticated(
      "This route requires a token. Send the header Authorization: Bearer svc_….",
    );
  }
  const secret = authorization.length > longest ? undefined : scheme.exec(authorization)?.[1];
  if (secret === undefined) {
    throw problem.unauthenticated(
      "The Authorization header must have the form Bearer <token>.",
      "invalid_token",
    );
  }
  return secret;
}
