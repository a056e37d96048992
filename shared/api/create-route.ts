import { createRoute as createOpenApiRoute, type RouteConfig } from "@hono/zod-openapi";
import type { RouteRule } from "../route-rule.ts";

type Endpoint<Path extends string> = Omit<RouteConfig, "path"> & {
  readonly operationId: string;
  readonly path: Path;
  readonly rule: RouteRule;
};

/** One endpoint of the API: its rule, and the schemas that validate, type and document it. */
export function createRoute<Path extends string, Config extends Endpoint<Path>>(
  config: Config,
): ReturnType<typeof createOpenApiRoute<Path, Config>> {
  return createOpenApiRoute<Path, Config>(config);
}
