import { deleteOldStreams, dropOldLogs } from "../retention/drop-old-logs.ts";
import type { Task } from "./task.ts";

/** Drops days of logs whose time is over, with the streams of which nothing is left; makes the days to come. */
export const deleteOldLogs: Task = async ({ db, config, log }, { signal }) => {
  const days = await dropOldLogs(db, config.retainLogsDays);
  const streams = await deleteOldStreams(db, config.retainLogsDays, { signal, batch: 1000 });
  if (days + streams > 0) log.info({ days, streams }, "old logs were deleted");
};
