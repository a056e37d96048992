import type { Db } from "../../database/connect.ts";
import type { PageRequest } from "../../database/page-request.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { listLogStreams, type StreamFilter } from "../read/read-queries.ts";
import { findLogStream } from "./queries.ts";
import type { LogStream } from "./row.ts";

/** A page of streams; a job's or a process's own is there even when nothing was written to it. */
export async function listStreams(
  db: Db,
  org: OrgId,
  filter: StreamFilter,
  page: PageRequest,
): Promise<(LogStream & { sort_key: string })[]> {
  const rows = await listLogStreams(db, org, filter, page);
  const { ownerId, ownerType } = filter;
  if (rows.length > 0 || page.after !== undefined || !/^(job|prc)_/.test(ownerId ?? ""))
    return rows;
  const own = await findLogStream(db, org, `lgs_${ownerId?.slice(4)}`);
  const isAsked = own?.owner_id === ownerId && (ownerType ?? own?.owner_type) === own?.owner_type;
  return own !== undefined && isAsked ? [{ ...own, sort_key: "" }] : [];
}
