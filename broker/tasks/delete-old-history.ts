import { deleteOldRows } from "../retention/delete-old-rows.ts";
import type { Task } from "./task.ts";

/** Deletes status histories whose time is over, and what is kept for a day to recognise a repeated request. */
export const deleteOldHistory: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "status_history", config.retainHistoryDays, batches);
  await deleteOldRows(db, "runner_job_enqueue_keys", 1, batches);
  await deleteOldRows(db, "idempotency_keys", 0, batches);
};
