import type { RouteRule } from "../../../shared/route-rule.ts";

/** One route as its contract spells it: `/v1/runners/{runner_id}`. */
export type ServedRoute = {
  readonly method: string;
  readonly template: string;
  readonly rule: RouteRule;
};

/** A path that has other methods than the request's. */
export type AllowedMethods = {
  readonly template: string;
  /** For the Allow header. */
  readonly allow: string;
  /** The rule of one of its routes, which decides the form of the 405. */
  readonly rule: RouteRule;
};

/** Finds the methods that a path answers; undefined for a path that no route has. */
export function findAllowedMethods(
  routes: readonly ServedRoute[],
): (path: string) => AllowedMethods | undefined {
  const patterns = routes.map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (path) => {
    const found = patterns.filter(({ pattern }) => pattern.test(path));
    const first = found.find(({ rule }) => rule.surface === "runner") ?? found[0];
    if (first === undefined) return undefined;
    const names = found.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    return { template: found[0]?.template ?? path, allow: names.join(", "), rule: first.rule };
  };
}
