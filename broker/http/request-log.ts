import type { RouteRule } from "../../shared/route-rule.ts";
import type { Broker } from "../broker.ts";
import { setHeader } from "./answer/set-header.ts";
import type { AppContext } from "./app-types.ts";
import { requestHeader } from "./gate/request-header.ts";
import { takeRequestId } from "./gate/request-id.ts";
import type { CountAnswer } from "./http-metrics.ts";

/** What is logged of a request once it is answered. */
export type Answered = {
  /** The route's template. */
  readonly route: string;
  readonly rule: RouteRule | undefined;
  readonly count: CountAnswer;
};

/** Gives the request its id, sets the headers that every answer has, and returns its start time. */
export function beginRequest(c: AppContext, rule: RouteRule | undefined): number {
  const requestId = takeRequestId(requestHeader(c, "x-request-id"));
  c.set("requestId", requestId);
  if (rule !== undefined) c.set("rule", rule);
  setHeader(c, "x-request-id", requestId);
  if (c.req.method === "GET") {
    // Other answers are neither stored nor rendered by clients.
    setHeader(c, "x-content-type-options", "nosniff");
    setHeader(c, "cache-control", "no-store");
  }
  return performance.now();
}

/** Counts the request and logs it under its route's template; polls and beats at debug. */
export function endRequest(
  c: AppContext,
  broker: Broker,
  { route, rule, count }: Answered,
  { status, startedAtMs }: { readonly status: number; readonly startedAtMs: number },
): void {
  const durationMs = performance.now() - startedAtMs;
  count(status, durationMs);
  const level = status >= 500 ? "error" : rule?.unmetered === true ? "debug" : "info";
  if (!broker.log.isLevelEnabled(level)) return;
  const actor = c.get("actor") as AppContext["var"]["actor"] | undefined; // absent where nobody was let in
  broker.log[level](
    {
      request_id: c.get("requestId"),
      method: c.req.method,
      route,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      trace_id: traceIdOf(requestHeader(c, "traceparent")),
      org_id: actor?.orgId,
      actor_id: actor?.id,
    },
    "request",
  );
}

/** The trace that the caller's request is part of, as W3C Trace Context says it. */
function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent === undefined
    ? undefined
    : /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(traceparent)?.[1];
}
