import type { Db } from "../database/connect.ts";
import { isRefusal } from "../database/database-errors.ts";
import { type ClaimRequest, type ClaimRow, claimCall } from "../polls/claim-jobs.ts";
import type { HandedOff } from "../polls/hand-off.ts";

/** A job as enqueue_jobs took or refused it. */
export type EnqueuedRow = {
  readonly request: number;
  readonly outcome: string;
  readonly id: string;
  readonly status: string;
  readonly created_at: Date;
  /** Claimed by the same statement: nobody need look for it. */
  readonly isClaimed?: boolean;
};

type BothRow = ClaimRow & {
  readonly request: number | null;
  readonly outcome: string;
  readonly enqueued_id: string;
  readonly enqueued_status: string;
  readonly enqueued_at: Date;
};

/** Takes the jobs of a batch; where somebody waits for them, one statement claims for these requests, too. */
export async function enqueueAndClaim(
  db: Db,
  batch: string,
  requests: readonly ClaimRequest[],
): Promise<HandedOff<readonly EnqueuedRow[]>> {
  if (requests.length === 0) return await enqueueOnly(db, batch);
  try {
    return await inOneStatement(db, batch, requests);
  } catch (error) {
    // Nothing of it happened. A claim that cannot be made is no reason to refuse jobs.
    if (isRefusal(error)) return await enqueueOnly(db, batch);
    throw error;
  }
}

async function enqueueOnly(db: Db, batch: string): Promise<HandedOff<readonly EnqueuedRow[]>> {
  const made = await db<EnqueuedRow[]>`select * from enqueue_jobs(${batch}::text::json)`;
  return { made, readClaims: () => [] };
}

async function inOneStatement(
  db: Db,
  batch: string,
  requests: readonly ClaimRequest[],
): Promise<HandedOff<readonly EnqueuedRow[]>> {
  const call = claimCall(db, requests);
  const rows = await db<BothRow[]>`
    select (b.enqueued).request, (b.enqueued).outcome, (b.enqueued).id as enqueued_id,
           (b.enqueued).status as enqueued_status, (b.enqueued).created_at as enqueued_at, ${call.columns}
      from enqueue_and_claim_jobs(${batch}::text::json, ${call.parameters}) b
     cross join lateral (select (b.claimed).*) c`;
  const claims = rows.filter(({ request }) => request === null);
  const claimedIds = new Set(claims.flatMap((row) => (row.execution_id === null ? [] : [row.id])));
  const made = rows.flatMap(({ request, outcome, enqueued_id: id, ...row }) => {
    if (request === null) return [];
    const { enqueued_status: status, enqueued_at: created_at } = row;
    return { request, outcome, id, status, created_at, isClaimed: claimedIds.has(id) };
  });
  return { made, readClaims: (opening) => call.hand(claims, opening) };
}
