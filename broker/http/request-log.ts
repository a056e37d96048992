import type { RouteRule } from "../../shared/route-rules.ts";
import type { Broker } from "../broker.ts";
import type { AppContext } from "./app-types.ts";
import { takeRequestId } from "./request-id.ts";
import { setHeader } from "./response-headers.ts";

type Begun = { readonly startedAtMs: number; readonly rule: RouteRule | undefined };
type Ended = Begun & { readonly response: Response; readonly route: string };

/** Names the request, and sets the headers that every answer has. */
export function beginRequest(c: AppContext, rule: RouteRule | undefined): Begun {
  const requestId = takeRequestId(c.req.header("x-request-id"));
  c.set("requestId", requestId);
  if (rule !== undefined) c.set("rule", rule);
  setHeader(c, "x-request-id", requestId);
  setHeader(c, "x-content-type-options", "nosniff");
  setHeader(c, "cache-control", "no-store");
  return { startedAtMs: performance.now(), rule };
}

/** Counts the request and logs it under its route's template; polls and beats at debug. */
export function endRequest(c: AppContext, broker: Broker, ended: Ended): void {
  const durationMs = performance.now() - ended.startedAtMs;
  const { status } = ended.response;
  broker.httpMetrics.count(c.req.method, ended.route, status, durationMs);
  const level = status >= 500 ? "error" : ended.rule?.unmetered === true ? "debug" : "info";
  if (!broker.log.isLevelEnabled(level)) return;
  const actor = c.get("actor") as AppContext["var"]["actor"] | undefined; // absent where nobody was let in
  broker.log[level](
    {
      request_id: c.get("requestId"),
      method: c.req.method,
      route: ended.route,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      ...(actor !== undefined && { org_id: actor.orgId, actor_id: actor.id }),
    },
    "request",
  );
}
