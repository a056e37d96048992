import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { givenOrg } from "../rows/given.ts";

export type GivenQueue = { readonly orgId: OrgId; readonly queueId: string };

/** A queue with these bounds; by default one signal in flight. */
export async function givenQueue(
  db: Db,
  given: {
    readonly orgId?: OrgId;
    readonly maxDepth?: number;
    readonly maxInFlight?: number;
    readonly idleNs?: number;
  } = {},
): Promise<GivenQueue> {
  const orgId = given.orgId ?? (await givenOrg(db));
  const queueId = newId("que");
  const [row] = await db<{ outcome: string }[]>`
    select create_queue(${orgId}, ${queueId}, ${queueId}, '', '', ${given.maxDepth ?? 1000}, ${given.maxInFlight ?? 1},
                        ${given.idleNs ?? 0}, '{}', 1000000, 'acc_1') as outcome`;
  if (row?.outcome !== "created") throw new Error(`create_queue answered ${row?.outcome}`);
  return { orgId, queueId };
}

/** A signal as `enqueue_signals` takes it, one that a worker claims unless told. */
export function aSignal(queue: GivenQueue, members: Readonly<Record<string, unknown>> = {}) {
  return {
    request: 1,
    id: newId("sig"),
    org_id: queue.orgId as string,
    queue_id: queue.queueId,
    type: "work",
    runs: "pull",
    owner_id: "",
    owner_type: "",
    context: {},
    max_executions: 3,
    retry_delay: 1_000_000_000,
    contents: Buffer.from("{}").toString("base64"),
    created_by_id: "acc_1",
    ...members,
  };
}

/** A callback that is a signal of this queue for every end, for workers to claim. */
export function aFollowUp(
  { queueId }: GivenQueue,
  members: Readonly<Record<string, unknown>> = {},
) {
  return {
    n: 1,
    kind: "signal",
    statuses: ["finished", "dead", "expired", "cancelled"],
    next_id: newId("sig"),
    queue_id: queueId,
    type: "follow-up",
    runs: "pull",
    max_executions: 1,
    retry_delay: 1_000_000_000,
    contents: "e30=",
    ...members,
  };
}

export type FiledRow = {
  readonly request: number;
  readonly outcome: string;
  readonly id: string;
  readonly status: string;
};

/** Enqueues signals in one call. */
export async function fileSignals(db: Db, signals: readonly object[]): Promise<FiledRow[]> {
  return await db<FiledRow[]>`
    select * from enqueue_signals(${JSON.stringify(signals)}::text::json)`;
}

/** Enqueues one signal; answers its id. */
export async function givenSignal(
  db: Db,
  queue: GivenQueue,
  members: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const [row] = await fileSignals(db, [aSignal(queue, members)]);
  if (row?.outcome !== "enqueued") throw new Error(`enqueue_signals answered ${row?.outcome}`);
  return row.id;
}

export type ClaimedSignal = {
  readonly id: string;
  readonly lease_id: string;
  readonly repeated: boolean;
  readonly execution_count: number;
};

/** Claims so many signals of a queue with a lease of 30 s. */
export async function claimSignals(
  db: Db,
  { orgId, queueId }: GivenQueue,
  wanted = 1,
  claimId: string | null = null,
): Promise<ClaimedSignal[]> {
  return await db<ClaimedSignal[]>`
    select * from claim_signals(${[1]}::int[], ${[orgId as string]}::text[], ${[queueId]}::text[], ${[wanted]}::int[],
                                ${[claimId]}::text[], ${["worker"]}::text[], ${[30_000_000_000]}::bigint[])`;
}

/** Reports on an execution; answers the outcome. */
export async function reportSignal(
  db: Db,
  { orgId }: GivenQueue,
  { id, lease_id }: { readonly id: string; readonly lease_id: string | null },
  event: string,
): Promise<string | undefined> {
  const report = { n: 1, org_id: orgId, signal_id: id, lease_id, event };
  const rows = await db<{ outcome: string | null }[]>`
    select (r.reported).outcome from report_signals(array(
      select s from json_populate_recordset(null::signal_report, ${JSON.stringify([report])}::text::json) s)) r`;
  return rows.find(({ outcome }) => outcome !== null)?.outcome ?? undefined;
}

/** The status of a signal, wherever it is stored. */
export async function signalStatus(db: Db, id: string): Promise<string | undefined> {
  const [row] = await db<{ status: string }[]>`
    select status from queue_signal_live where id = ${id}
    union all select status from queue_signal_ends where signal_id = ${id}`;
  return row?.status;
}

/** What a queue counts, and its status. */
export async function queueOf(db: Db, { queueId }: GivenQueue) {
  const [row] = await db<
    { status: string; waiting: number; in_flight: number; own_turns: number }[]
  >`
    select q.status, c.waiting, c.in_flight, c.own_turns from queues q join queue_counters c on c.queue_id = q.id
     where q.id = ${queueId}`;
  return row;
}

/** Acts on every clock of signals and their queues that is due. */
export async function sweepSignals(db: Db): Promise<void> {
  await db`select sweep_signals(1000), sweep_signal_queues(1000)`;
}
