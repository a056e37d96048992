import type { ProcessShutdown, ShutdownType } from "../../shared/api/runner-process-shutdown.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import { findRunner } from "../runners/queries.ts";
import { isManaged } from "../runners/update-queries.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import type { NamedProcess } from "./beat-processes.ts";
import { findProcess, listLiveProcessIds } from "./queries.ts";
import { showShutdownsById } from "./show-processes.ts";

type Parts = Pick<Broker, "db" | "wakes">;

export type ShutdownOrder = {
  readonly type: ShutdownType;
  /** How long running jobs may continue; ignored by force. */
  readonly deadlineNs?: number | undefined;
  readonly reason: string;
};
type By = Pick<Actor, "id" | "orgId">;

const drainNs = 30 * 60e9;
const forceNs = 10e9;

/** Requests a shutdown of all live processes of a runner but those that manage its host; one record each. 409 when none is alive. */
export async function requestShutdowns(
  broker: Parts,
  actor: By,
  runnerId: string,
  order: ShutdownOrder,
): Promise<ProcessShutdown[]> {
  const processIds = await listLiveProcessIds(broker.db, actor.orgId, runnerId);
  if (processIds.length === 0) {
    const runner = await findRunner(broker.db, actor.orgId, runnerId);
    if (runner === undefined) throw problem.notFound("runner");
    const isSpared = await isManaged(broker.db, actor.orgId, runnerId);
    throw problem.conflict(
      "no_live_process",
      isSpared
        ? "This runner has no live process to shut down but its management process, which is ordered by its own id. That one can start the agent again: svc runner mng restart."
        : "This runner has no live process to shut down.",
    );
  }
  return write(broker, actor, processIds, order);
}

/** Requests a shutdown of one process. 409 when it has ended already. */
export async function requestShutdown(
  broker: Parts,
  actor: By,
  named: NamedProcess,
  order: ShutdownOrder,
): Promise<ProcessShutdown> {
  const process = await findProcess(broker.db, named);
  if (process === undefined) throw problem.notFound("process");
  if (process.status === "inactive" || process.status === "shut-down") {
    throw problem.conflict("process_not_alive", `This process is already ${process.status}.`);
  }
  const [shutdown] = await write(broker, actor, [process.id], order);
  if (shutdown === undefined) throw forcedAlready();
  return shutdown;
}

async function write(
  broker: Parts,
  actor: By,
  processIds: string[],
  { type, deadlineNs, reason }: ShutdownOrder,
): Promise<ProcessShutdown[]> {
  const cutAfterNs = cutAfterOf(type, deadlineNs);
  const shutdownIds = processIds.map(() => newId("shd"));
  const rows = await broker.db<{ shutdown_id: string; process_id: string }[]>`
    select shutdown_id, process_id
      from order_shutdowns(${processIds}, ${shutdownIds}, ${type}, ns(${cutAfterNs}), ${actor.id}, ${reason})`;
  if (rows.length === 0) throw forcedAlready();
  broker.wakes.notify(rows.map((row) => topics.process(row.process_id)));
  const ids = rows.map((row) => row.shutdown_id);
  return showShutdownsById(broker.db, actor.orgId, ids);
}

/** How long running jobs may continue: what the order says, else half an hour; ten seconds where it is by force. */
export function cutAfterOf(type: ShutdownType, deadlineNs: number | undefined): number {
  return type === "force" ? forceNs : (deadlineNs ?? drainNs);
}

const forcedAlready = (): Error =>
  problem.conflict(
    "shutdown_forced",
    "A forced shutdown is already in progress and cannot be replaced.",
  );
