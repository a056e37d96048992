import { readdir } from "node:fs/promises";
import type { RouteConfig } from "@hono/zod-openapi";
import type { AnyResource } from "../../../shared/resources/resource.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";

type Endpoint = RouteConfig & { readonly operationId: string; readonly rule: RouteRule };

const folder = new URL("../../../shared/api/", import.meta.url);
const names = (await readdir(folder)).filter((name) => /(?<!\.test)\.ts$/.test(name));
const modules = await Promise.all(
  names.map(async (name) => (await import(new URL(name, folder).href)) as Record<string, unknown>),
);

const hasRoutes = (one: unknown): one is AnyResource =>
  typeof one === "object" && one !== null && "routes" in one;

/** Every route object of shared/api/, those of resources among them. */
export const endpoints: readonly Endpoint[] = modules
  .flatMap((module) => Object.values(module))
  .flatMap((one): readonly unknown[] => (hasRoutes(one) ? one.routes : [one]))
  .filter((one): one is Endpoint => typeof one === "object" && one !== null && "rule" in one);

/** The rule of each route by its operationId. */
export const routeRules: Readonly<Record<string, RouteRule>> = Object.fromEntries(
  endpoints.map(({ operationId, rule }) => [operationId, rule]),
);

/** The rule of one route; throws where there is none. */
export function routeRule(operationId: string): RouteRule {
  const rule = routeRules[operationId];
  if (rule === undefined) throw new Error(`no route ${operationId} in shared/api/`);
  return rule;
}
