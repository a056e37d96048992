import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { TurnLease } from "./turn.ts";

type BegunTurnRow = {
  readonly type: string;
  readonly created_by_id: string;
  readonly execution_count: number;
  readonly attempt: string;
  readonly job_id: string | null;
  readonly key_id: string | null;
  readonly contents: Buffer;
};

/** Begins a turn by a lease of the beginner's own, which it may repeat; undefined when the lease is no longer the current one. */
export async function beginTurn(
  db: Db,
  { orgId, signalId, leaseId }: TurnLease,
  own: { readonly leaseId: string; readonly beginner: string },
): Promise<BegunTurnRow | undefined> {
  const [row] = await db<BegunTurnRow[]>`
    select * from begin_turn(${orgId}, ${signalId}, ${leaseId}, ${own.leaseId}, ${own.beginner})`;
  return row;
}

/** Lets a signal wait for its job's end. */
export async function awaitJob(
  db: Db,
  { orgId, signalId, leaseId }: TurnLease,
  jobId: string,
): Promise<{ readonly outcome: "waits" | "ended" | "lost"; readonly queueIds: string[] }> {
  const rows = await db<{ outcome: "waits" | "ended" | "lost"; wake: string | null }[]>`
    select * from await_job(${orgId}, ${signalId}, ${leaseId}, ${jobId})`;
  return {
    outcome: rows[0]?.outcome ?? "lost",
    queueIds: rows.flatMap(({ wake }) => (wake === null ? [] : [wake])),
  };
}

/** Ends the executions of signals that wait for this job, if it has ended; answers the queues that have work. */
export async function endSignalsOfJob(db: Db, jobId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from end_signals_of_jobs(${[jobId]}) as id`;
  return rows.map(({ id }) => id);
}

export type TurnReport = {
  readonly event: "finish" | "fail" | "give-up" | "extend";
  readonly description?: string;
  readonly retryInNs?: number;
  readonly keyId?: string | null;
  readonly result?: Buffer;
};

/** Says how an execution ended, or that it goes on. */
export async function reportTurn(
  db: Db,
  { orgId, signalId, leaseId }: TurnLease,
  report: TurnReport,
): Promise<{ readonly outcome: string; readonly queueIds: string[] }> {
  const told = {
    n: 1,
    org_id: orgId,
    signal_id: signalId,
    lease_id: leaseId,
    event: report.event,
    description: report.description,
    retry_in: report.retryInNs,
    key_id: report.keyId,
    result: report.result?.toString("base64"),
  };
  const rows = await db<{ outcome: string | null; wake: string | null }[]>`
    select (r.reported).outcome, r.wake from report_signals(array(
      select s from json_populate_recordset(null::signal_report, ${JSON.stringify([told])}::text::json) s)) r`;
  return {
    outcome: rows.find(({ outcome }) => outcome !== null)?.outcome ?? "lost",
    queueIds: rows.flatMap(({ wake }) => (wake === null ? [] : [wake])),
  };
}

/** Cancels signals that wait in a queue, at most 500 of them; undefined when there is no such queue. */
export async function purgeSome(
  db: Db,
  org: OrgId,
  { queueId, why }: { readonly queueId: string; readonly why: string },
): Promise<{ readonly purged: number; readonly queueIds: string[] } | undefined> {
  const rows = await db<{ purged: number; wake: string | null }[]>`
    select p.* from queues q cross join lateral purge_queue(${org}, ${queueId}, false, ${why}, ${mostPurged}) p
     where q.org_id = ${org} and q.id = ${queueId} and q.deleted_at is null`;
  const [row] = rows;
  if (row === undefined) return undefined;
  const queueIds = rows.flatMap(({ wake }) => (wake === null ? [] : [wake]));
  return { purged: row.purged, queueIds };
}

/** As many as one statement purges: fewer means that none is left. */
export const mostPurged = 500;

export type CallbackRow = {
  readonly kind: "runner-job" | "http-call";
  readonly next_id: string;
  /** How many were made, with this one. */
  readonly tries: number;
  readonly begins: number;
  readonly key_id: string | null;
  readonly contents: Buffer;
  readonly created_by_id: string;
  readonly type: string;
  readonly queue_id: string;
  readonly owner_id: string;
  readonly owner_type: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly awaited_by: string | null;
  readonly caused_by: string | null;
  readonly scheduled_for: Date | null;
  readonly execution_count: number;
  readonly status: string;
  readonly status_description: string;
  readonly result_key_id: string | null;
  readonly result: Buffer | null;
  readonly finished_at: Date;
};

/** One try of a callback: another try has another number of begins. */
export type CallbackTry = {
  readonly orgId: OrgId;
  readonly signalId: string;
  readonly n: number;
  readonly begins: number;
};

/** Begins the try of a callback that follows so many; undefined when another began or it is settled. */
export async function beginCallback(
  db: Db,
  { orgId, signalId, n, begins }: CallbackTry,
): Promise<CallbackRow | undefined> {
  const [row] = await db<CallbackRow[]>`
    select * from begin_callback(${orgId}, ${signalId}, ${n}, ${begins})`;
  return row;
}

export type Settled =
  | { readonly status: "done" | "failed"; readonly description: string }
  | { readonly status: "again"; readonly description: string; readonly afterMs: number };

/** Writes what came of the try of this number. */
export async function settleCallback(
  db: Db,
  { orgId, signalId, n, begins }: CallbackTry,
  settled: Settled,
): Promise<void> {
  const outcome = settled.status === "again" ? null : settled.status;
  const afterS = settled.status === "again" ? settled.afterMs / 1000 : 0;
  await db`
    select settle_callback(${orgId}, ${signalId}, ${n}, ${begins}, ${outcome}, ${settled.description}, ${afterS})`;
}

/** Pauses or resumes an emitter: done · unchanged · not-found · ended. */
export async function setEmitterPause(
  db: Db,
  org: OrgId,
  pause: {
    readonly emitterId: string;
    readonly event: "pause" | "resume";
    readonly note: string;
    readonly actorId: string;
  },
): Promise<string> {
  const { emitterId, event, note, actorId } = pause;
  const [row] = await db<{ outcome: string }[]>`
    select set_emitter_pause(${org}, ${emitterId}, ${event}, ${note}, null, ${actorId}) as outcome`;
  return row?.outcome ?? "not-found";
}
