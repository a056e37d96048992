import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { keepRescued } from "./keep-rescued.ts";
import { discardUpload, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import { noFacts } from "./state-scan.ts";
import {
  factColumns,
  type Stored,
  storeParts,
  storedColumns,
  unlessDiscarded,
} from "./store-parts.ts";
import { requireMd5 } from "./write-state.ts";

type PulumiWrite = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  /** The revision that the state was made from; 0 for none. */
  readonly expected: number | undefined;
  readonly contentMd5: string | undefined;
  readonly pieces: AsyncIterable<Buffer>;
  /** Takes a permit for statements that may wait for the workspace; none is held while the body arrives. */
  readonly withPermit: WithPermit;
};

/** Refusals of a state that a job has made: it may be the only record of what it changed. */
const losing: ReadonlySet<string> = new Set(["job-holds", "revision-differs", "held", "blocked"]);

/**
 * Writes the next revision of a Pulumi state, completely or not at all. What a job sends and the workspace does not take is kept
 * as a rescued state, and refused all the same.
 */
export async function writePulumiState(
  broker: Pick<Broker, "db" | "seals" | "config">,
  actor: Pick<Actor, "id" | "orgId">,
  write: PulumiWrite,
): Promise<void> {
  const naming = { orgId: actor.orgId, id: newId("tfs") };
  const refused = await unlessDiscarded(broker, naming, async () => {
    const stored = await storeParts(broker, naming, write.pieces);
    requireMd5(write.contentMd5, stored.md5);
    const row = {
      id: naming.id,
      org_id: actor.orgId,
      workspace_id: write.workspaceId,
      ...factColumns(noFacts),
      ...storedColumns(stored),
      runner_job_id: write.jobId,
      created_by_id: actor.id,
    };
    const outcome = await write.withPermit(() => commit(broker, row, { write, stored }));
    if (outcome.outcome === "unchanged") await discardUpload(broker.db, actor.orgId, naming.id);
    const refusal = refusalOf(outcome);
    if (refusal === undefined) return undefined;
    if (write.jobId === null || !losing.has(outcome.outcome)) throw refusal;
    const { id, workspace_id, runner_job_id } = row;
    const state = { id, workspace_id, runner_job_id, stored, facts: noFacts };
    await write.withPermit(() => keepRescued(broker, actor, state));
    return refusal;
  });
  if (refused !== undefined) throw refused;
}

async function commit(
  { db }: Pick<Broker, "db">,
  row: object,
  { write, stored }: { readonly write: PulumiWrite; readonly stored: Stored },
): Promise<Outcome> {
  const [outcome] = await db<Outcome[]>`
    select o.* from keep_pulumi_state(
      jsonb_populate_record(null::terraform_workspace_states, ${JSON.stringify(row)}::text::jsonb),
      ${stored.onlyPart}::bytea, ${JSON.stringify(stored.fingerprints)}::text::jsonb, ${write.expected ?? null}) o`;
  if (outcome === undefined) throw new Error("keep_pulumi_state answered nothing");
  return outcome;
}
