import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { keepRescued } from "./keep-rescued.ts";
import { makeStateScan, noFacts, type StateFacts } from "./state-scan.ts";
import { storeParts, unlessDiscarded, watchPieces } from "./store-parts.ts";

type Rescue = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  /** A state of Pulumi's is any bytes. */
  readonly isPulumi: boolean;
  readonly pieces: AsyncIterable<Buffer>;
  /** Takes a permit for statements that may wait for the workspace; none is held while the body arrives. */
  readonly withPermit: WithPermit;
};

/**
 * Stores a state that could not be written, completely or not at all; returns its id. The same bytes again return the id of
 * the stored ones; undefined when it is the current state. Refuses what is not a Terraform state, and more than the limits allow.
 */
export async function rescueState(
  broker: Pick<Broker, "db" | "seals" | "config">,
  actor: Pick<Actor, "id" | "orgId">,
  { workspaceId, jobId, isPulumi, pieces, withPermit }: Rescue,
): Promise<string | undefined> {
  const naming = { orgId: actor.orgId, id: newId("tfs") };
  const scan = isPulumi ? undefined : makeStateScan();
  return unlessDiscarded(broker, naming, async () => {
    const watched = scan === undefined ? pieces : watchPieces(pieces, scan.push);
    const stored = await storeParts(broker, naming, watched);
    const facts = scan === undefined ? noFacts : withSerial(scan.end());
    const named = { id: naming.id, workspace_id: workspaceId, runner_job_id: jobId };
    return await withPermit(() => keepRescued(broker, actor, { ...named, stored, facts }));
  });
}

function withSerial(facts: StateFacts): StateFacts {
  if (facts.serial !== undefined) return facts;
  const detail = "The state has no serial. Send errored.tfstate as Terraform wrote it.";
  throw problem.invalid([{ pointer: "#/serial", code: "required", detail }]);
}
