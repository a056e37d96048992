import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Broker } from "../broker.ts";
import type { AppEnv } from "./app-env.ts";
import type { HandleRoute } from "./handle-types.ts";

export type App = OpenAPIHono<AppEnv> & {
  /** Opens a route of shared/api/; what its handler returns is answered with the route's own status. */
  readonly handle: HandleRoute;
};
export type AppContext = Context<AppEnv>;

/** Registers one route, or a few that belong together; broker/router.ts lists them all. */
export type RegisterRoutes = (app: App, broker: Broker) => void;
