import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { discardUpload, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import { makeStateScan, noFacts, type StateFacts } from "./state-scan.ts";
import {
  type Stored,
  factColumns,
  storeParts,
  storedColumns,
  unlessDiscarded,
  watchPieces,
} from "./store-parts.ts";

export type StateWrite = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  /** The lock that the write is made under. */
  readonly lockId: string | null;
  readonly needsLock: boolean;
  /** As the client sends it. */
  readonly contentMd5?: string | undefined;
  /** Whether it is a Terraform state, whose serial and lineage are checked. */
  readonly isTerraform: boolean;
  readonly rollback?: { readonly from: number; readonly reason: string } | undefined;
};

export type StateUpload = {
  readonly write: StateWrite;
  readonly pieces: AsyncIterable<Buffer>;
  /** Takes a permit for statements that may wait for the workspace; none is held while the body arrives. */
  readonly withPermit: WithPermit;
};

type Parts = Pick<Broker, "db" | "seals">;
type Who = Pick<Actor, "id" | "orgId">;

/**
 * Writes the next revision of a workspace's state, completely or not at all; returns its number. The same bytes
 * again change nothing. Refuses what is not a state and, with 409 or 423, what does not follow the current state.
 */
export async function writeState(
  broker: Parts,
  actor: Who,
  { write, pieces, withPermit }: StateUpload,
): Promise<number> {
  const id = newId("tfs");
  const naming = { orgId: actor.orgId, id };
  const scan = write.isTerraform ? makeStateScan() : undefined;
  const watched = scan === undefined ? pieces : watchPieces(pieces, scan.push);
  return unlessDiscarded(broker, naming, async () => {
    const stored = await storeParts(broker, naming, watched);
    requireMd5(write.contentMd5, stored.md5);
    const facts = scan?.end() ?? noFacts;
    const row = rowOf(actor, write, { id, stored, facts });
    const outcome = await withPermit(() => commit(broker.db, row, { write, stored }));
    const refused = refusalOf(outcome);
    if (refused !== undefined) throw refused;
    if (outcome.outcome === "unchanged") await discardUpload(broker.db, actor.orgId, id);
    return outcome.revision ?? 0;
  });
}

/** Refuses before the body is read what a lock or a block would refuse afterwards. */
export async function requireWritable(
  db: Db,
  org: OrgId,
  {
    workspaceId,
    lockId,
    needsLock,
    rollback,
  }: Pick<StateWrite, "workspaceId" | "lockId" | "needsLock" | "rollback">,
): Promise<void> {
  const heedsBlock = rollback === undefined ? "unless-held" : "never";
  const [outcome] = await db<Outcome[]>`
    select o.* from refuse_change(${org}, ${workspaceId}, ${lockId}, ${needsLock}, ${heedsBlock}) o
     where o.outcome is not null`;
  const refused = outcome && refusalOf(outcome);
  if (refused !== undefined) throw refused;
}

/** Refuses bytes that are not those that the client has a digest of. */
export function requireMd5(said: string | undefined, is: Buffer): void {
  if (said === undefined) return;
  const digest = Buffer.from(said, "base64");
  if (digest.equals(is)) return;
  throw problem.malformed(
    "content_md5_differs",
    "The body does not match Content-MD5. Send it again.",
    "header:Content-MD5",
  );
}

function rowOf(
  actor: Who,
  write: StateWrite,
  {
    id,
    stored,
    facts,
  }: { readonly id: string; readonly stored: Stored; readonly facts: StateFacts },
): object {
  return {
    id,
    org_id: actor.orgId,
    workspace_id: write.workspaceId,
    ...factColumns(facts),
    ...storedColumns(stored),
    rolled_back_from: write.rollback?.from,
    runner_job_id: write.jobId,
    created_by_id: actor.id,
  };
}

async function commit(
  db: Db,
  row: object,
  { write, stored }: { readonly write: StateWrite; readonly stored: Stored },
): Promise<Outcome> {
  const [outcome] = await db<Outcome[]>`
    select o.* from keep_terraform_state(
      jsonb_populate_record(null::terraform_workspace_states, ${JSON.stringify(row)}::text::jsonb),
      ${stored.onlyPart}::bytea, ${JSON.stringify(stored.fingerprints)}::text::jsonb, ${write.lockId},
      ${write.needsLock}, ${write.rollback?.reason ?? ""}, ${write.isTerraform}) o`;
  if (outcome === undefined) throw new Error("keep_terraform_state answered nothing");
  return outcome;
}
