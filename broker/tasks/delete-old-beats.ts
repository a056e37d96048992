import { deleteDeadProcesses } from "../retention/delete-dead-processes.ts";
import { deleteOldRows } from "../retention/delete-old-rows.ts";
import type { Task } from "./task.ts";

/** Deletes beat minutes, health checks and dead processes whose time is over. */
export const deleteOldBeats: Task = async ({ db, config, log }, { signal }) => {
  const days = config.retainBeatsDays;
  const minutes = await deleteOldRows(db, "runner_beat_minutes", days, { signal, batch: 10_000 });
  const checks = await deleteOldRows(db, "runner_health_checks", days, { signal, batch: 5000 });
  const processes = await deleteDeadProcesses(db, days, { signal, batch: 200 });
  log.debug({ minutes, checks, processes }, "old beats were deleted");
};
