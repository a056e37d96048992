import type { AppContext } from "../app-types.ts";

/** What the path names, by parameter, with ids where it had names. */
export const paramsOf = (c: AppContext): Readonly<Record<string, string>> =>
  c.get("params") ?? c.req.param();

/** The path as it was sent, with ids where it had names: one thing is the same in links and under an idempotency key. */
export function pathOfIds(c: AppContext): string {
  const sent = new URL(c.req.url).pathname;
  const params = c.get("params");
  if (params === undefined) return sent;
  const named = c.req.routePath.split("/");
  const parts = sent.split("/").map((part, index) => {
    const name = named[index] ?? "";
    return name.startsWith(":") ? encodeURIComponent(params[name.slice(1)] ?? part) : part;
  });
  return parts.join("/");
}
