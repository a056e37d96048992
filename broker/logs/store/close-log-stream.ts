import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { topics, type Wakes } from "../../wake/wakes.ts";
import { closeStream, findLogStream } from "./queries.ts";
import type { LogStream } from "./row.ts";

/** Closes the stream of an operation; a closed one stays as it is, those of jobs and processes are 409. */
export async function closeLogStream(
  { db, wakes }: { readonly db: Db; readonly wakes: Wakes },
  org: OrgId,
  id: string,
): Promise<LogStream> {
  const found = await findLogStream(db, org, id);
  if (found === undefined) throw problem.notFound("log stream");
  if (found.owner_type === "runner_jobs" || found.owner_type === "runner_processes") {
    throw problem.conflict(
      "log_stream_has_owner",
      "The log stream of a job or process cannot be closed by hand. It closes with its owner.",
    );
  }
  if (!found.is_open) return found;
  await closeStream(db, org, id);
  wakes.notify([topics.logs(id)]);
  return { ...found, is_open: false };
}
