import { hash } from "node:crypto";
import type postgres from "postgres";
import type { z } from "zod";
import { Problem } from "../../shared/problem.ts";
import { jobToken, mintJobSecret } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { ExecutionRow } from "../executions/row.ts";
import type { JobRow, jobFactsRow } from "../jobs/row.ts";
import { openPlan } from "../jobs/sealed-plan.ts";
import type { Log } from "../log.ts";
import type { Seals } from "../seals/seals.ts";

/** What one claim asks for: a number of jobs of each group, for one process of one runner. */
export type ClaimRequest = {
  readonly runnerId: string;
  readonly processId: string;
  /** The same poll_id within 30 s gets the same executions again. */
  readonly pollId: string | null;
  readonly groups: ReadonlyMap<string, number>;
};

export type Claim = {
  readonly job: JobRow;
  readonly execution: ExecutionRow;
  /** The source text of the plan's JSON; null when the job has none. */
  readonly plan: string | null;
  /** The plan is long and is read while it is sent. */
  readonly hasLargePlan: boolean;
  /** Sent once; the database has its digest. */
  readonly token: string;
  /** The earlier of the execution's and the job's deadline. */
  readonly deadlineAt: Date;
};

/** The result of one request: claims, and whether its process has orders. */
export type Claimed = { readonly claims: readonly Claim[]; readonly hasOrders: boolean };

export type Opening = Pick<ClaimParts, "seals" | "log">;
export type ClaimParts = { readonly db: Db; readonly seals: Seals; readonly log: Log };

type FactsRow = z.infer<typeof jobFactsRow>;
type NoticeRow = { waiter: number; execution_id: null };
/** A row of claim_jobs: a claim, or the notice of orders. */
export type ClaimRow = ClaimedRow | NoticeRow;
type ClaimedRow = FactsRow & {
  waiter: number;
  repeated: boolean;
  execution_id: string;
  process_id: string;
  claimed_at: Date;
  deadline_at: Date;
  overall_at: Date;
  execution_count: number;
  started_at: Date;
  key_id: string | null;
  /** Sealed and in base64 when there is a key; null when it is long. */
  plan: string | null;
  is_large: boolean;
};

const texts = 1009;
const byteas = 1001;
const integers = 1007;

/** The most executions that one statement makes: their ids and tokens are made beforehand. */
export const mostClaims = 1_000;
/** Longer plans are read separately: those of many polls would be in memory at once. */
const mostPlanLength = 350_000;

/**
 * Claims jobs for many polls in one statement; earlier requests are served first. Returns one entry per request.
 * A claimed job belongs to its process at once: a caller that cannot deliver it must give it back.
 */
export async function claimJobs(
  { db, seals, log }: ClaimParts,
  requests: readonly ClaimRequest[],
): Promise<Claimed[]> {
  const call = claimCall(db, requests);
  const rows = await db<ClaimRow[]>`
    select ${call.columns} from claim_jobs(${call.parameters}) c`;
  return call.hand(rows, { seals, log });
}

export type ClaimCall = {
  /** What claim_jobs takes for these requests, in its order. */
  readonly parameters: postgres.Fragment;
  /** What is read of a claimed_job that is named `c`. */
  readonly columns: postgres.Fragment;
  /** Gives its rows to who asked: one entry a request. */
  readonly hand: (rows: readonly ClaimRow[], opening: Opening) => Claimed[];
};

/** One call of claim_jobs, by itself or within another function's: the ids and tokens of its executions are made here. */
export function claimCall(db: Db, requests: readonly ClaimRequest[]): ClaimCall {
  const asked = requests.flatMap((request, waiter) =>
    [...request.groups].map(([jobGroup, want]) => ({ request, waiter, jobGroup, want })),
  );
  const wanted = asked.reduce((sum, { want }) => sum + want, 0);
  const length = Math.min(wanted, mostClaims);
  const secrets = Array.from({ length }, () => mintJobSecret());
  const executionIds = secrets.map(() => newId("exe"));
  const digests = secrets.map((secret) => hash("sha256", secret, "buffer"));
  return {
    parameters: db`
      ${db.array(
        asked.map(({ waiter }) => waiter),
        integers,
      )},
      ${db.array(
        asked.map(({ request }) => request.runnerId),
        texts,
      )},
      ${db.array(
        asked.map(({ request }) => request.processId),
        texts,
      )},
      ${db.array(
        asked.map(({ jobGroup }) => jobGroup),
        texts,
      )},
      ${db.array(
        asked.map(({ want }) => want),
        integers,
      )},
      ${db.array(
        asked.map(({ request }) => request.pollId),
        texts,
      )},
      ${db.array(executionIds, texts)},
      ${db.array(digests, byteas)}`,
    columns: db`
      c.waiter, c.repeated, c.execution_id, c.process_id, c.claimed_at, c.deadline_at, c.overall_at,
      c.execution_count, c.started_at, c.key_id,
      case when octet_length(c.plan) <= ${mostPlanLength} then c.plan end as plan,
      coalesce(octet_length(c.plan) > ${mostPlanLength}, false) as is_large, c.job_id as id, c.org_id, c.runner_id,
      c.job_group, c.type, c.operation, c.owner_id, c.owner_type, c.metadata, c.queue_timeout, c.available_timeout,
      c.execution_timeout, c.overall_timeout, c.max_executions, c.stop_grace, c.changes_things, c.rerun_of,
      c.log_stream_id, c.created_at, c.created_by_id`,
    hand: (rows, opening) =>
      hand(requests, rows, { ...opening, secrets: secretBook(executionIds, secrets) }),
  };
}

type SecretBook = {
  readonly ofNew: ReadonlyMap<string, string>;
  readonly ofRepeated: (nth: number) => string | undefined;
};

/** claim_jobs takes tokens for what it repeats from the end of the list, and for what is new from its beginning. */
function secretBook(executionIds: readonly string[], secrets: readonly string[]): SecretBook {
  return {
    ofNew: new Map(executionIds.map((id, at) => [id, secrets[at] ?? ""])),
    ofRepeated: (nth) => secrets.at(-1 - nth),
  };
}

function hand(
  requests: readonly ClaimRequest[],
  rows: readonly ClaimRow[],
  { secrets, ...opening }: Opening & { readonly secrets: SecretBook },
): Claimed[] {
  const claims: Claim[][] = requests.map(() => []);
  const noticed = new Set<number>();
  let repeated = 0;
  for (const row of rows) {
    if (row.execution_id === null) {
      noticed.add(row.waiter);
      continue;
    }
    const secret = row.repeated
      ? secrets.ofRepeated(repeated)
      : secrets.ofNew.get(row.execution_id);
    if (row.repeated) repeated += 1;
    const plan = planOf(opening, row);
    if (plan !== unreadable) claims[row.waiter]?.push(toClaim(row, secret ?? "", plan));
  }
  return claims.map((list, at) => ({ claims: list, hasOrders: noticed.has(at) }));
}

const unreadable = Symbol("a plan that this broker's keys do not open");

/**
 * A job whose plan this broker cannot open is not delivered; unconfirmed, it goes back to its queue
 * after 30 s, for a broker that has the key.
 */
function planOf({ seals, log }: Opening, row: ClaimedRow): string | null | typeof unreadable {
  if (row.plan === null || row.key_id === null) return row.plan;
  const contents = Buffer.from(row.plan, "base64");
  try {
    return openPlan(seals, { orgId: row.org_id, id: row.id }, { key_id: row.key_id, contents });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.error(
      { job_id: row.id, key_id: row.key_id },
      `a job cannot be claimed here: ${error.message}`,
    );
    return unreadable;
  }
}

function toClaim(row: ClaimedRow, secret: string, plan: string | null): Claim {
  const { claimed_at, deadline_at, overall_at } = row;
  return {
    // Assigned, not copied: the row belongs to this claim, and there are thousands a second.
    job: Object.assign(row, {
      status: "in-progress" as const,
      status_description: "",
      status_at: claimed_at,
      composite_error: null,
      finished_at: null,
      clock: null,
      logs_complete: false,
    }),
    execution: {
      id: row.execution_id,
      org_id: row.org_id,
      runner_job_id: row.id,
      runner_id: row.runner_id,
      process_id: row.process_id,
      holders: null,
      is_ours: true,
      status: "pending",
      status_description: "",
      ended_by: null,
      history: [],
      created_at: claimed_at,
      deadline_at,
      confirmed_at: null,
      finished_at: null,
      last_record: null,
      logs_complete: false,
    },
    plan,
    hasLargePlan: row.is_large,
    token: jobToken(row.id, secret),
    deadlineAt: deadline_at < overall_at ? deadline_at : overall_at,
  };
}
