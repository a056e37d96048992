import { mergeChunks } from "../logs/store/merge-chunks.ts";
import { listScattered } from "../logs/store/queries.ts";
import type { Task } from "./task.ts";

const mostStreams = 1000;

/** Merges the small chunks of idle streams. */
export const mergeLogChunks: Task = async ({ db, log }, { signal }) => {
  const streams = await listScattered(db, mostStreams);
  for (const { org_id: orgId, stream_id: streamId } of streams) {
    if (signal.aborted) break;
    await mergeChunks(db, orgId, streamId);
  }
  log.debug({ streams: streams.length }, "small log chunks were merged");
};
