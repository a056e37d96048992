import type { NewLogStream } from "../../../shared/api/write-logs.ts";
import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import { newId } from "../../database/new-id.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { findLogStream, insertLogStream } from "./queries.ts";
import type { LogStream } from "./row.ts";

/** A stream for an operation, open until it is closed by hand; 404 for a runner or parent of nobody. */
export async function createLogStream(
  db: Db,
  org: OrgId,
  wanted: NewLogStream,
): Promise<LogStream> {
  const id = newId("lgs");
  const isMade = await insertLogStream(db, org, { id, ...wanted });
  const stream = isMade ? await findLogStream(db, org, id) : undefined;
  if (stream !== undefined) return stream;
  throw problem.notFound(wanted.parent_id === undefined ? "runner" : "runner or parent stream");
}
