import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { NamedProcess } from "./beat-processes.ts";
import { showShutdownsById } from "./show-processes.ts";

/** Writes that a process has done what it was asked; a record that has ended stays as it ended. */
export async function completeShutdown(
  db: Db,
  { orgId, runnerId, processId }: NamedProcess,
  shutdownId: string,
): Promise<ProcessShutdown> {
  const [known] = await db`
    select set_shutdown_status(d.runner_process_id, d.id, 'completed', 'the process said so', svc_now())
      from runner_process_shutdowns d
     where d.org_id = ${orgId} and d.runner_id = ${runnerId} and d.runner_process_id = ${processId}
       and d.id = ${shutdownId}`;
  const [shutdown] = known === undefined ? [] : await showShutdownsById(db, orgId, [shutdownId]);
  if (shutdown === undefined) throw problem.notFound("shutdown");
  return shutdown;
}
