import { deleteOldJobs as deleteJobs } from "../retention/delete-old-jobs.ts";
import type { Task } from "./task.ts";

/** Deletes jobs whose time is over. */
export const deleteOldJobs: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteJobs(db, config.retainJobsDays, { signal, batch: 500 });
  if (deleted > 0) log.info({ deleted }, "old jobs were deleted");
};
