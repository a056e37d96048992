import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RouteRule } from "../../shared/route-rule.ts";
import type { Broker } from "../broker.ts";
import type { LargeText } from "../seals/large-text.ts";
import type { Actor } from "../tokens/actor.ts";

/** What a request carries on its way: node's own two ends, and what the gate found out. */
export type AppEnv = {
  Bindings: Partial<{ incoming: IncomingMessage; outgoing: ServerResponse }>;
  Variables: {
    requestId: string;
    rule: RouteRule;
    /** The caller; on an open route there is none, and reading it throws. */
    actor: Actor;
    /** Whether the gate holds a permit for the request: its handler then takes none. */
    hasPermit?: true;
    /** Source text of the members the route's rule keeps verbatim, by pointer: `#/plan`. */
    verbatim: ReadonlyMap<string, string>;
    /** What of a large body was never made a value, by pointer: `#/plan`, `#/result`, `#/outputs`. */
    longTexts: ReadonlyMap<string, LargeText>;
  };
};

export type App = OpenAPIHono<AppEnv>;
export type AppContext = Context<AppEnv>;

/** Registers one route, or a few that belong together; broker/router.ts lists them all. */
export type RegisterRoutes = (app: App, broker: Broker) => void;
