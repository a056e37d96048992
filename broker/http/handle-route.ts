import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Broker } from "../broker.ts";
import { Answer } from "./answer/answer.ts";
import { asTheirs, theirsOf } from "./answer/as-theirs.ts";
import { requiredVersion } from "./answer/etag.ts";
import type { App, AppContext } from "./app-types.ts";
import { permitFor } from "./gate/with-permit.ts";
import type { Call, HandledRoute, HandleRoute } from "./handle-types.ts";

/** What `app.handle` is in this broker. */
export function makeHandleRoute(app: Pick<App, "openapi">, broker: Broker): HandleRoute {
  const open = app.openapi as unknown as (
    route: HandledRoute,
    handle: (c: AppContext) => Promise<Response>,
  ) => void; // its types are those of the route, which are checked here
  return (route, handler) => {
    const callOf = makeCallOf(route, broker);
    const [status = 200] = Object.keys(route.responses).map(Number);
    const toTheirs = theirsOf(route);
    open(route, async (c) => {
      c.set("toTheirs", toTheirs);
      const returned: unknown = await handler(callOf(c) as Call<typeof route>); // made as the route says
      if (returned instanceof Response) return returned;
      return respond(c, isAnswer(returned) ? returned : new Answer(status, returned));
    });
  };
}

const isAnswer = (returned: unknown): returned is Answer<number, unknown> =>
  returned instanceof Answer;

function respond(c: AppContext, { status, value }: Answer<number, unknown>): Response {
  const code = status as ContentfulStatusCode; // one of the route's
  return value === undefined
    ? c.body(null, code)
    : c.json(asTheirs(c, value as object, status), code);
}

/** What a request may have, and as what Hono keeps it. */
const parts = [
  ["params", "param"],
  ["query", "query"],
  ["body", "json"],
] as const;

/** Reads of a request what its route has. */
function makeCallOf(
  { rule, request = {} }: HandledRoute,
  broker: Broker,
): (c: AppContext) => object {
  const isOpen = rule.permission === null;
  const hasPermit = rule.ownPermit === true && !isOpen;
  const takes = parts.filter(
    ([name]) => name in request && !(name === "body" && rule.otlp === true),
  );
  return (c) => {
    const call: Record<string, unknown> = { c };
    if (!isOpen) {
      const actor = c.get("actor");
      call["actor"] = actor;
      call["orgId"] = actor.orgId;
    }
    if (hasPermit) call["withPermit"] = permitFor(c, broker);
    if (rule.ifMatch === true) call["requiredVersion"] = () => requiredVersion(c);
    for (const [name, part] of takes) call[name] = c.req.valid(part as never);
    return call;
  };
}
