import type { LRUCache } from "lru-cache";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { growingCache } from "../growing-cache.ts";
import { secretDigest } from "../jobs/guard-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { touchProcess } from "../processes/beat-processes.ts";
import { parseQueueKeys } from "../queues/queue-keys.ts";
import { topics } from "../wake/wakes.ts";

export type ClaimingProcess = {
  readonly orgId: OrgId;
  readonly runnerId: string;
  readonly processId: string;
  /** Group → slots. */
  readonly groups: ReadonlyMap<string, number>;
  /** The process's secret, which proves that the process itself asks. */
  readonly secret: string | undefined;
};

type Known = {
  readonly runnerId: string;
  readonly serves: ReadonlySet<string>;
  /** The secret's digest of a process that binds its plans: no other caller may claim for it. */
  readonly boundBy: Buffer | null;
  touchedAtMs: number;
};
type KnownRow = {
  runner_id: string;
  is_ours: boolean;
  serves: Record<string, number> | null;
  bound_by: Buffer | null;
};

type Parts = Pick<Broker, "db" | "wakes" | "permits" | "beats">;

/** The processes that claim here, and the groups that they are known to serve, which only grow. */
export type ProcessCache = LRUCache<string, Known>;

/** A cache of the processes that claimed most recently. */
export const newProcessCache = (): ProcessCache => growingCache(mostKnown);

const mostKnown = 50_000;
/** Signs of life closer together than this are not written: a process counts as silent only after a minute. */
const touchEveryMs = 5_000;

/**
 * Makes sure that the process is this runner's and that the broker counts the groups it asks for among those
 * it serves: those that it named when it registered or claimed. A claim is a sign of life. 404
 * for anybody else's process, 409 for one that binds its plans and whose secret was not given.
 */
export async function requireClaimingProcess(
  broker: Parts,
  book: ProcessCache,
  asked: ClaimingProcess,
): Promise<void> {
  const groups = [...asked.groups.keys()];
  let known = book.get(asked.processId);
  if (known?.runnerId !== asked.runnerId || !groups.every((group) => known?.serves.has(group))) {
    const owner = { orgId: asked.orgId, token: asked.runnerId };
    known = await broker.permits.run(owner, () => readProcess(broker, asked));
    book.set(asked.processId, known);
  }
  requireItself(known.boundBy, asked);
  if (performance.now() - known.touchedAtMs < touchEveryMs) return;
  known.touchedAtMs = performance.now();
  void touchProcess(broker, asked);
}

async function readProcess(broker: Parts, asked: ClaimingProcess): Promise<Known> {
  const [row] = await broker.db<KnownRow[]>`
    select runner_id, is_ours, serves, case when binds_plans then secret_digest end as bound_by from runner_processes
     where id = ${asked.processId} and org_id = ${asked.orgId} and runner_id = ${asked.runnerId}`;
  if (row === undefined) throw problem.notFound("process");
  requireItself(row.bound_by, asked);
  const serves = new Set(row.is_ours && row.serves !== null ? Object.keys(row.serves) : []);
  if (!row.is_ours || [...asked.groups.keys()].some((group) => !serves.has(group))) {
    await announce(broker, asked);
    for (const group of asked.groups.keys()) serves.add(group);
  }
  return { runnerId: asked.runnerId, serves, boundBy: row.bound_by, touchedAtMs: -Infinity };
}

function requireItself(boundBy: Buffer | null, { secret }: ClaimingProcess): void {
  if (boundBy === null || boundBy.equals(secretDigest({ processSecret: secret }))) return;
  const words =
    "Only the process itself may claim. Send its secret in the header Svc-Process-Secret.";
  throw problem.conflict("process_bound", words);
}

async function announce(
  { db, wakes }: Parts,
  { runnerId, processId, groups }: ClaimingProcess,
): Promise<void> {
  const [row] = await db<{ wakes: string[] }[]>`
    select announce_groups(${processId}, ${db.json(Object.fromEntries(groups))}) as wakes`;
  if (parseQueueKeys(row?.wakes ?? []).length > 0) wakes.notify([topics.queue(runnerId)]);
}
