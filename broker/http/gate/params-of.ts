import type { AppContext } from "../app-types.ts";

/** What the path names, by parameter, with ids where it had names and what an alias leaves out. */
export const paramsOf = (c: AppContext): Readonly<Record<string, string>> =>
  c.get("params") ?? c.req.param();

/** The path as it was sent, with ids where it had names, or that of another template: one thing is the same in links and under an idempotency key. */
export function pathOfIds(c: AppContext, template: string = c.req.routePath): string {
  const sent = new URL(c.req.url).pathname;
  const params = c.get("params");
  if (params === undefined) return sent;
  const parts = template.split("/").map((part) => {
    if (!part.startsWith(":")) return part;
    return encodeURIComponent(params[part.slice(1)] ?? "");
  });
  return parts.join("/");
}
