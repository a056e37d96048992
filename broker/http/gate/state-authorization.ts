import type { AppContext } from "../app-types.ts";
import { requestHeader } from "./request-header.ts";

const basic = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i;

/** The Authorization that a state route goes by: what terraform sends as a password, or `?token=`, as a bearer's. */
export function stateAuthorization(c: AppContext): string | undefined {
  const sent = requestHeader(c, "authorization");
  if (sent === undefined) {
    const token = c.req.query("token");
    return token === undefined || token === "" ? undefined : `Bearer ${token}`;
  }
  const pair = basic.exec(sent)?.[1];
  if (pair === undefined) return sent;
  const text = Buffer.from(pair, "base64").toString("utf8");
  return `Bearer ${text.slice(text.indexOf(":") + 1)}`;
}
