import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import type { PermitOwner } from "../../limits/fair-queue.ts";
import type { WithPermit } from "../../limits/permits.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";

/** Whose permit a request takes. */
function permitOwner({ orgId, tokenId, id }: Actor): PermitOwner {
  return { orgId, token: tokenId ?? id };
}

/** For routes with `ownPermit`: each read takes a permit, and none is held in between. Throws when the gate holds one. */
export function permitFor(c: AppContext, { permits }: Broker): WithPermit {
  if (c.get("hasPermit")) throw new Error(`${c.req.routePath} has a permit already`);
  const owner = permitOwner(c.get("actor"));
  return (act) => permits.run(owner, act);
}

/** Handles the request with a permit of its org and token. Routes with `ownPermit` and open routes get none here. */
export function handleWithPermit(
  c: AppContext,
  broker: Broker,
  { rule, handle }: PermittedRoute,
): Response | Promise<Response> {
  if (rule.ownPermit === true || rule.permission === null) return handle(c);
  return holdPermit(c, broker, handle);
}

async function holdPermit(
  c: AppContext,
  { permits }: Broker,
  handle: PermittedRoute["handle"],
): Promise<Response> {
  const given = permits.take(
    permitOwner(c.get("actor")),
    (leave) => void c.env?.outgoing?.once("close", leave),
  );
  const release = given instanceof Promise ? await given : given;
  c.set("hasPermit", true);
  c.set("leavePermit", release);
  try {
    return await handle(c);
  } finally {
    release();
  }
}

type PermittedRoute = {
  readonly rule: RouteRule;
  readonly handle: (c: AppContext) => Response | Promise<Response>;
};
