import { type RouteConfig, z } from "@hono/zod-openapi";
import { problemSchema } from "../../../shared/api/problem.ts";
import { pathAliases } from "../../../shared/path-aliases.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";

/** The route as the OpenAPI document shows it: with what its rule says, so that no route has to repeat it. */
export function describeRoute({
  rule,
  ...route
}: RouteConfig & { readonly rule: RouteRule }): RouteConfig {
  const headers = headersOf(rule);
  return {
    ...route,
    description: [route.description, aliasText(route), permissionText(rule)]
      .filter(Boolean)
      .join("\n\n"),
    security: rule.permission === null ? (route.security ?? []) : [{ token: [] }],
    request: { ...route.request, ...(headers !== undefined && { headers }) },
    responses: { ...successes(route.responses, rule), default: refusal(rule) },
  };
}

function aliasText(route: RouteConfig): string {
  const aliases = pathAliases(route).map((alias) => `\`${alias}\``);
  return aliases.length === 0 ? "" : `Also ${aliases.join(", ")}.`;
}

function permissionText({ permission, ownRunner, others, or, bound }: RouteRule): string {
  if (permission === null) return "Needs no permission.";
  const own = ownRunner === true ? " A runner token only reaches objects of its own runner." : "";
  const kept =
    bound === true ? " A token that is bound to an app or an install sees only that." : "";
  const other = others === undefined ? "" : ` Without such a token: \`${others}\`.`;
  const apart = or === undefined ? "" : ` For workflows of apps: \`${or}\`.`;
  return `Needs the permission \`${permission}\`.${apart}${own}${other}${kept}`;
}

function headersOf(rule: RouteRule): z.ZodObject | undefined {
  const org = z
    .string()
    .optional()
    .describe("The org to act in, if the token's account belongs to several.");
  const key = z
    .string()
    .optional()
    .describe(
      "1 to 255 visible ASCII characters. Requests with the same key run once; the key is kept for a day.",
    );
  if (rule.permission === null) return undefined;
  if (rule.idempotent === undefined) return z.object({ "x-svc-org-id": org });
  return z.object({ "x-svc-org-id": org, "idempotency-key": key });
}

const replayed = z.object({
  "Idempotent-Replayed": z
    .literal("true")
    .optional()
    .describe("Nothing was made: what is answered was there, or an earlier request made it."),
});

function successes(
  responses: RouteConfig["responses"],
  { idempotent }: RouteRule,
): RouteConfig["responses"] {
  if (idempotent === undefined) return responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, one]) => [status, { ...one, headers: replayed }]),
  );
}

function refusal(rule: RouteRule): RouteConfig["responses"][string] {
  const isRunners = rule.surface === "runner" || rule.runnersRead === true;
  const said = { schema: problemSchema };
  const content = {
    "application/json": said,
    ...(!isRunners && { "application/problem+json": said }),
  };
  return { description: "An error.", content };
}
