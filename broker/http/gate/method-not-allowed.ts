import { routeRule } from "../../../shared/permissions.ts";
import type { RouteRule } from "../../../shared/route-rules.ts";
import type { openApiDocument } from "../open-api-document.ts";

/** A path that answers other methods than the one that was asked. */
export type AllowedMethods = {
  readonly template: string;
  /** For the Allow header. */
  readonly allow: string;
  /** A rule of one of its routes: runner clients get a refusal in their own shape here too. */
  readonly rule: RouteRule;
};

/** A look-up over all paths of the document; undefined for a path that no route has. */
export function findAllowedMethods(
  document: ReturnType<typeof openApiDocument>,
): (path: string) => AllowedMethods | undefined {
  const paths = Object.entries(document.paths ?? {}).map(([template, methods]) => ({
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: Object.entries(methods as Record<string, { operationId?: string }>),
    template,
  }));
  return (path) => {
    const found = paths.filter(({ pattern }) => pattern.test(path));
    const methods = found.flatMap((one) => one.methods);
    const rules = methods.map(([, { operationId }]) => routeRule(operationId ?? ""));
    const rule = rules.find(({ surface }) => surface === "runner") ?? rules[0];
    if (rule === undefined) return undefined;
    const names = methods.flatMap(([method]) =>
      method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
    );
    return { template: found[0]?.template ?? path, allow: names.join(", "), rule };
  };
}
