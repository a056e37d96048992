import type { AppContext } from "../app-types.ts";
import { basicLogin } from "./basic-login.ts";
import { requestHeader } from "./request-header.ts";

/** The Authorization that a state route goes by: what terraform sends as a password, or `?token=`, as a bearer's. */
export function stateAuthorization(c: AppContext): string | undefined {
  const sent = requestHeader(c, "authorization");
  if (sent === undefined) {
    const token = c.req.query("token");
    return token === undefined || token === "" ? undefined : `Bearer ${token}`;
  }
  const login = basicLogin(sent);
  return login === undefined ? sent : `Bearer ${login.password}`;
}
