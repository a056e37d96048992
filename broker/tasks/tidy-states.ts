import { tidyStates as tidy } from "../retention/tidy-states.ts";
import type { Task } from "./task.ts";

/** Takes away what is left of states that nobody can read any more. */
export const tidyStates: Task = async ({ db, config, log }, { signal }) => {
  const kept = {
    revisions: config.keepStateRevisions,
    deletedDays: config.retainDeletedWorkspacesDays,
  };
  const deleted = await tidy(db, kept, { signal, batch: 50 });
  if (deleted > 0) log.info({ deleted }, "old states were deleted");
};
