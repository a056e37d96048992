import { OpenAPIHono } from "@hono/zod-openapi";
import { problem } from "../../shared/problem.ts";
import type { RouteRule } from "../../shared/route-rule.ts";
import { parseToken } from "../../shared/token.ts";
import type { Broker } from "../broker.ts";
import { registerAllRoutes } from "../router.ts";
import { answerError } from "./answer/answer-error.ts";
import type { AppEnv } from "./app-env.ts";
import type { App, AppContext } from "./app-types.ts";
import { discardBody } from "./body/discard-body.ts";
import { type AllowedMethods, findAllowedMethods } from "./gate/allowed-methods.ts";
import { makeRouteOpener } from "./gate/route-opener.ts";
import { stateAuthorization } from "./gate/state-authorization.ts";
import { makeHandleRoute } from "./handle-route.ts";
import { beginRequest, endRequest } from "./request-log.ts";
import { RouteTable } from "./route-table.ts";

/** The broker's HTTP application: every route of router.ts, and a problem for whatever no route answers. */
export function createApp(broker: Broker): App {
  const bare = new OpenAPIHono<AppEnv>({ router: new RouteTable() });
  const { open, routes } = makeRouteOpener(bare, broker);
  bare.openapi = open;
  const app: App = Object.assign(bare, { handle: makeHandleRoute(bare, broker) });
  const showLost = registerAllRoutes(app, broker);
  const find = findAllowedMethods(routes);
  app.notFound(async (c) => {
    await discardBody(c);
    const path = find(c.req.path);
    return path === undefined && isBrowsers(c)
      ? await tellLost(c, broker, showLost)
      : refuse(c, broker, path);
  });
  // Routes answer their own errors; this is for what breaks before a route is found.
  app.onError((error, c) => {
    beginRequest(c, undefined);
    return answerError(c, broker, error);
  });
  return app;
}

/** The rule by which an unknown path is refused to a runner, whose program may be of another version. */
const runnersRule: RouteRule = { surface: "runner", permission: null };

/** Whether the caller's token, known or not, is of the kinds that runners carry. */
function isRunnersRequest(c: AppContext): boolean {
  if (!c.req.path.startsWith("/v1/")) return false;
  const secret = /^bearer +(\S+)$/i.exec(stateAuthorization(c) ?? "")?.[1] ?? "";
  const kind = parseToken(secret)?.kind;
  return kind === "rt" || kind === "job";
}

/** Whether a person looks for a page: their browser asks for HTML by name. */
function isBrowsers({ req }: AppContext): boolean {
  const accepts = req.header("accept")?.includes("text/html") === true;
  return accepts && req.method === "GET" && !req.path.startsWith("/v1/");
}

async function tellLost(
  c: AppContext,
  broker: Broker,
  showLost: (c: AppContext) => Promise<Response>,
): Promise<Response> {
  const startedAtMs = beginRequest(c, undefined);
  const response = await showLost(c).catch((error: unknown) => answerError(c, broker, error));
  const count = broker.httpMetrics.of("GET", "unknown");
  const answered = { route: "unknown", rule: undefined, count };
  endRequest(c, broker, answered, { status: response.status, startedAtMs });
  return response;
}

/** 405 with Allow where the path answers other methods, else 404. */
function refuse(c: AppContext, broker: Broker, path: AllowedMethods | undefined): Response {
  const unknownRule = isRunnersRequest(c) ? runnersRule : undefined;
  const startedAtMs = beginRequest(c, path?.rule ?? unknownRule);
  const refusal =
    path === undefined ? problem.notFound("route") : problem.methodNotAllowed(path.allow);
  const response = answerError(c, broker, refusal);
  const route = path?.template ?? "unknown";
  const count = broker.httpMetrics.of(c.req.method, route);
  endRequest(
    c,
    broker,
    { route, rule: path?.rule, count },
    { status: response.status, startedAtMs },
  );
  return response;
}
