import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findQueueOrg } from "./queries.ts";

/** Makes sure that the queue is one of this org; 404 otherwise. A queue stays its org's, so it is asked once. */
export async function requireClaimableQueue(
  { db, signalClaims: { knownQueues } }: Pick<Broker, "db" | "signalClaims">,
  { orgId, queueId }: { readonly orgId: OrgId; readonly queueId: string },
  withPermit: WithPermit,
): Promise<void> {
  let owner = knownQueues.get(queueId);
  if (owner === undefined) {
    owner = await withPermit(() => findQueueOrg(db, orgId, queueId));
    if (owner !== undefined) knownQueues.set(queueId, owner);
  }
  if (owner !== orgId) throw problem.notFound("queue");
}
