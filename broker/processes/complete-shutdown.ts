import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { notifyQueues } from "../queues/queue-keys.ts";
import type { NamedProcess } from "./beat-processes.ts";
import { showShutdownsById } from "./show-processes.ts";

/**
 * Stores that a process has shut down as requested; a record that has ended does not change. It is the last report of a
 * third-party runner: if its process was shutting down, it has shut down.
 */
export async function completeShutdown(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  { orgId, runnerId, processId }: NamedProcess,
  shutdownId: string,
): Promise<ProcessShutdown> {
  const [known] = await db<{ woken: string[] }[]>`
    select complete_shutdown(d.runner_process_id, d.id) as woken
      from runner_process_shutdowns d
     where d.org_id = ${orgId} and d.runner_id = ${runnerId} and d.runner_process_id = ${processId}
       and d.id = ${shutdownId}`;
  if (known !== undefined) notifyQueues(wakes, orgId, known.woken);
  const [shutdown] = known === undefined ? [] : await showShutdownsById(db, orgId, [shutdownId]);
  if (shutdown === undefined) throw problem.notFound("shutdown");
  return shutdown;
}
