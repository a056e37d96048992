import type { Queue } from "../../shared/api/queue.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import { showQueueEmitters } from "../emitters/show-emitter.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listRunnerQueues } from "../runners/queries.ts";
import { listSignals } from "../signals/list-signals.ts";
import { showSignals } from "../signals/read-signals.ts";
import { listStatusHistories } from "../status/queries.ts";
import { countQueues, listQueues, type QueueFilter } from "./queries.ts";
import { requireQueue } from "./require-queue.ts";
import { isOfRunners, listQueuesOfRunners, toCursorId } from "./runner-queues.ts";
import { toQueue, toQueueOfRunner } from "./to-queue.ts";

const mostShown = 100;

/** One queue as a read shows it, with the first in line; that of a runner's job group, too. */
export async function showQueue(db: Db, org: OrgId, id: string): Promise<Queue> {
  if (id.startsWith("run_")) return await showQueueOfRunner(db, org, id);
  const row = await requireQueue(db, org, id);
  const line = {
    filter: { status: "queued" as const },
    after: undefined,
    limit: mostShown,
    offset: 0,
  };
  const { rows } = await listSignals(db, org, id, line);
  const first = rows.map((one) => one.row);
  const histories = await listStatusHistories(db, org, [id]);
  const signals = await showSignals(db, org, first);
  const emitters = await showQueueEmitters(db, org, id);
  return toQueue(row, { history: histories.get(id), signals, emitters });
}

async function showQueueOfRunner(db: Db, org: OrgId, id: string): Promise<Queue> {
  const [runnerId = "", group = ""] = id.split(":");
  const rows = await listRunnerQueues(db, org, [runnerId]);
  const found = rows.find(({ job_group }) => job_group === group);
  if (found === undefined) throw problem.notFound("queue");
  return toQueueOfRunner(found);
}

export type ListedQueue = { readonly id: string; readonly sort_key: string; readonly queue: Queue };

/** Queues that pass the filters, the newest first; after them those of runners. */
export async function listAllQueues(
  db: Db,
  org: OrgId,
  { filter, after, limit, offset }: ListRequest & { readonly filter: QueueFilter },
): Promise<ListedQueue[]> {
  const isAfterAll = isOfRunners(after);
  const own = isAfterAll ? [] : await listQueues(db, org, { filter, after, limit, offset });
  const shown = own.map((row) => ({ id: row.id, sort_key: row.sort_key, queue: toQueue(row) }));
  const left = limit - shown.length;
  if (left === 0) return shown;
  const passed =
    shown.length > 0 || offset === 0 ? offset : await countQueues(db, org, filter, offset);
  const others = await listQueuesOfRunners(db, org, {
    filter,
    after: isAfterAll ? after : undefined,
    limit: left,
    offset: offset - passed,
  });
  return [
    ...shown,
    ...others.map((row) => ({
      id: toCursorId(row),
      sort_key: row.sort_key,
      queue: toQueueOfRunner(row),
    })),
  ];
}
