import type { routeRules } from "../../../shared/route-rules.ts";
import type { Broker } from "../../broker.ts";
import type { SeatOwner } from "../../limits/fair-queue.ts";
import type { Seated } from "../../limits/permits.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";

/**
 * Routes whose handlers take a seat themselves, for what they ask alone: most of their time they wait, or read a body or a state, or
 * travel with others on the connections that are kept for that. No route's handler takes one while the gate holds one.
 */
const ownSeats: ReadonlySet<string> = new Set<keyof typeof routeRules>([
  "claimJobs",
  "tailJobs",
  "followJobs",
  "waitForJob",
  "tailLogs",
  "createHeartBeat",
  "appendLogs",
  "createTraces",
  "createMetrics",
  "enqueueJob",
  "updateExecution",
  "createResult",
  "createOutputs",
  "finishExecution",
  "giveBackExecution",
  "setJobStatus",
  "listTerraformStateResources",
  "listTerraformStateOutputs",
  "diffTerraformWorkspaceStates",
  "writeTerraformState",
  "writeTerraformStateJson",
  "rescueTerraformState",
  "writePulumiState",
  "createHelmRecord",
  "updateHelmRecord",
]);

/** Whose seat a request takes. */
function seatOwner({ orgId, tokenId, id }: Actor): SeatOwner {
  return { orgId, token: tokenId ?? id };
}

/** For handlers that take a seat themselves: each read on one, and none in between. Throws where the gate holds one. */
export function seatedFor(c: AppContext, { seats }: Broker): Seated {
  if (c.get("isSeated")) throw new Error(`${c.req.routePath} has a seat already`);
  const owner = seatOwner(c.get("actor"));
  return (act) => seats.run(owner, act);
}

/** Handles the request on a seat of its org and token, unless its handler takes one itself or nobody is known to ask. */
export async function withSeat(
  c: AppContext,
  { seats }: Broker,
  { operationId, rule, handle }: SeatedRoute,
): Promise<Response> {
  if (ownSeats.has(operationId) || rule.permission === null) return handle(c);
  const given = seats.take(
    seatOwner(c.get("actor")),
    (leave) => void c.env?.outgoing?.once("close", leave),
  );
  const release = given instanceof Promise ? await given : given;
  c.set("isSeated", true);
  try {
    return await handle(c);
  } finally {
    release();
  }
}

type SeatedRoute = {
  readonly operationId: string;
  readonly rule: { readonly permission: unknown };
  readonly handle: (c: AppContext) => Response | Promise<Response>;
};
