import type { AppContext } from "../app-types.ts";

/** A header of the request, its name in lower case: from node's own parse, which is made once. */
export function requestHeader(c: AppContext, name: string): string | undefined {
  const { incoming } = c.env ?? {};
  if (incoming === undefined) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
