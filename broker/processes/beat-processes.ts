import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { RunnerProcessType } from "../../shared/process-groups.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { parseQueueKeys } from "../queues/queue-keys.ts";
import { type Topic, topics, type Wakes } from "../wake/wakes.ts";

/** A process, its runner and its org; under another runner or org it is not found. */
export type NamedProcess = {
  readonly orgId: OrgId;
  readonly runnerId: string;
  readonly processId: string;
};

export type Beat = NamedProcess & {
  readonly aliveTime: number;
  readonly version: string;
  /** The executions that the process says it holds; absent when it does not say. */
  readonly executions?: readonly string[] | undefined;
};

/** A process right after a beat; `orders` and `settingsVersion` only of our own agents. */
export type BeatenProcess = {
  readonly type: RunnerProcessType;
  readonly status: string;
  readonly isOurs: boolean;
  readonly at: Date;
  readonly orders: readonly ProcessOrder[];
  readonly settingsVersion: number | undefined;
};

/** Takes a heartbeat or another sign of life; undefined when there is no such process. */
export type Beats = (process: Beat | NamedProcess) => Promise<BeatenProcess | undefined>;

type BeatenRow = {
  process_id: string | null;
  org_id: OrgId;
  runner_id: string;
  process_type: RunnerProcessType;
  status: string;
  is_ours: boolean;
  at: Date;
  orders: ProcessOrder[] | null;
  settings_version: number | null;
  wakes: string[] | null;
};

const booleans = 1000;
const bigints = 1016;

/**
 * Heartbeats that arrive within a tenth of a second share a statement. A broker that serves twenty thousand
 * processes writes ten times a second; a single heartbeat does not wait.
 */
export function makeBeats(hotPath: HotPath, wakes: Wakes): Beats {
  return makeBatcher(
    (processes: readonly (Beat | NamedProcess)[]) => flush(hotPath.db, wakes, processes),
    {
      max: 1000,
      delayMs: 100,
      separate: hotPath.separate((db, processes) => flush(db, wakes, processes)),
    },
  );
}

/** A claim, a poll or a report is a sign of life, too. Need not be awaited; never rejects. */
export function touchProcess(
  { beats }: { readonly beats: Beats },
  process: NamedProcess,
): Promise<void> {
  return beats(process).then(
    () => {},
    // The caller's own statement uses the same database and reports its failure.
    () => {},
  );
}

async function flush(
  db: Db,
  wakes: Wakes,
  processes: readonly (Beat | NamedProcess)[],
): Promise<(BeatenProcess | undefined)[]> {
  const rows = await writeBeats(db, [...onceEach(processes).values()]);
  wakes.notify(changed(rows));
  const byId = new Map(rows.map((row) => [row.process_id, row]));
  return processes.map(({ processId, orgId, runnerId }) => {
    const row = byId.get(processId);
    return row?.org_id === orgId && row.runner_id === runnerId ? toBeaten(row) : undefined;
  });
}

/** One row per process and runner: a heartbeat replaces another sign of life, a later heartbeat an earlier one. */
function onceEach(processes: readonly (Beat | NamedProcess)[]): Map<string, Beat | NamedProcess> {
  const kept = new Map<string, Beat | NamedProcess>();
  for (const process of processes) {
    const key = `${process.processId} ${process.runnerId} ${process.orgId}`;
    if ("aliveTime" in process || !kept.has(key)) kept.set(key, process);
  }
  return kept;
}

async function writeBeats(db: Db, processes: (Beat | NamedProcess)[]): Promise<BeatenRow[]> {
  const beats = processes.map((process) => ("aliveTime" in process ? process : undefined));
  const held = beats.flatMap((beat) =>
    (beat?.executions ?? []).map((id) => ({ by: beat?.processId ?? "", id })),
  );
  return db<BeatenRow[]>`
    select * from beat_processes(
      ${processes.map(({ processId }) => processId)}::text[],
      ${processes.map(({ orgId }) => orgId)}::text[],
      ${processes.map(({ runnerId }) => runnerId)}::text[],
      ${db.array(
        beats.map((beat) => beat !== undefined),
        booleans,
      )},
      ${db.array(
        beats.map((beat) => beat?.aliveTime ?? 0),
        bigints,
      )},
      ${beats.map((beat) => beat?.version ?? "")}::text[],
      ${db.array(
        beats.map((beat) => beat?.executions !== undefined),
        booleans,
      )},
      ${held.map(({ by }) => by)}::text[],
      ${held.map(({ id }) => id)}::text[])`;
}

/** Jobs that a heartbeat released are available at the runners of the same flush. */
function changed(rows: readonly BeatenRow[]): Topic[] {
  const woken = parseQueueKeys(rows.at(-1)?.wakes ?? []);
  if (woken.length === 0) return [];
  const orgs = new Map(rows.map((row) => [row.runner_id, row.org_id]));
  return [...new Set(woken.map(({ runnerId }) => runnerId))].flatMap((runnerId) => {
    const org = orgs.get(runnerId);
    return [topics.queue(runnerId), ...(org === undefined ? [] : [topics.org(org)])];
  });
}

function toBeaten(row: BeatenRow): BeatenProcess {
  return {
    type: row.process_type,
    status: row.status,
    isOurs: row.is_ours,
    at: row.at,
    orders: row.orders ?? [],
    settingsVersion: row.settings_version ?? undefined,
  };
}
