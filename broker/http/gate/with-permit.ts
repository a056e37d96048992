import type { routeRules } from "../../../shared/route-rules.ts";
import type { Broker } from "../../broker.ts";
import type { PermitOwner } from "../../limits/fair-queue.ts";
import type { WithPermit } from "../../limits/permits.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";

/**
 * Routes whose handlers take a permit themselves, for what they ask alone: most of their time they wait, or read a body or a state, or
 * travel with others on the connections that are kept for that. No route's handler takes one while the gate holds one.
 */
const takeOwnPermit: ReadonlySet<string> = new Set<keyof typeof routeRules>([
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

/** Whose permit a request takes. */
function permitOwner({ orgId, tokenId, id }: Actor): PermitOwner {
  return { orgId, token: tokenId ?? id };
}

/** For handlers that take a permit themselves: each read on one, and none in between. Throws where the gate holds one. */
export function permitFor(c: AppContext, { permits }: Broker): WithPermit {
  if (c.get("hasPermit")) throw new Error(`${c.req.routePath} has a permit already`);
  const owner = permitOwner(c.get("actor"));
  return (act) => permits.run(owner, act);
}

/** Handles the request on a permit of its org and token, unless its handler takes one itself or nobody is known to ask. */
export async function handleWithPermit(
  c: AppContext,
  { permits }: Broker,
  { operationId, rule, handle }: PermittedRoute,
): Promise<Response> {
  if (takeOwnPermit.has(operationId) || rule.permission === null) return handle(c);
  const given = permits.take(
    permitOwner(c.get("actor")),
    (leave) => void c.env?.outgoing?.once("close", leave),
  );
  const release = given instanceof Promise ? await given : given;
  c.set("hasPermit", true);
  try {
    return await handle(c);
  } finally {
    release();
  }
}

type PermittedRoute = {
  readonly operationId: string;
  readonly rule: { readonly permission: unknown };
  readonly handle: (c: AppContext) => Response | Promise<Response>;
};
