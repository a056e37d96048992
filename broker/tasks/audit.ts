import { endLostActs as end } from "../audit/queries.ts";
import { dropOldAudit } from "../retention/drop-old-partitions.ts";
import type { Task } from "./task.ts";

/** Longer than any act takes. */
const lostAfter = "10 minutes";
const batch = 500;

/** Records acts whose broker stopped before it answered. */
export const endLostActs: Task = async ({ db, log }, { signal }) => {
  let lost = 0;
  let some = batch;
  while (some === batch && !signal.aborted) {
    some = await end(db, lostAfter, batch);
    lost += some;
  }
  if (lost > 0) log.warn({ lost }, "acts ended without an answer: their broker stopped");
};

/** Drops old months of the audit log; creates the partitions of this month and the next. */
export const deleteOldAudit: Task = async ({ db, config, log }) => {
  const months = await dropOldAudit(db, config.retainAuditDays);
  if (months > 0) log.info({ months }, "old months of the audit log were dropped");
};
