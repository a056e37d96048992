import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { findLogStream } from "./queries.ts";
import type { LogStream } from "./row.ts";

/** The stream, of this runner if one is named; 404 otherwise. */
export async function requireLogStream(
  db: Db,
  org: OrgId,
  id: string,
  runnerId: string | null,
): Promise<LogStream> {
  const stream = await findLogStream(db, org, id);
  if (stream === undefined || (runnerId !== null && stream.runner_id !== runnerId)) {
    throw problem.notFound("log stream");
  }
  return stream;
}
