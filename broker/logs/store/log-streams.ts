import type { NewLogStream } from "../../../shared/api/write-logs.ts";
import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import { keyedId } from "../../database/keyed-id.ts";
import type { ListRequest } from "../../database/page-request.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Actor } from "../../tokens/actor.ts";
import { isWithin } from "../../tokens/bound/within.ts";
import { type Wakes, topics } from "../../wake/wakes.ts";
import { type StreamFilter, listLogStreams } from "../read/read-queries.ts";
import { closeStream, findLogStream, insertLogStream } from "./queries.ts";
import { type LogStream, logStreamOf } from "./row.ts";

/** Creates a stream for an operation, open until it is closed by hand; 404 for an unknown runner or parent. */
export async function createLogStream(
  db: Db,
  { orgId: org, requestSeed }: Pick<Actor, "orgId" | "requestSeed">,
  wanted: NewLogStream,
): Promise<LogStream> {
  const id = keyedId("lgs", requestSeed);
  const made = requestSeed === undefined ? undefined : await findLogStream(db, org, id);
  if (made !== undefined) return made;
  const isMade = await insertLogStream(db, org, { id, ...wanted });
  const stream = isMade ? await findLogStream(db, org, id) : undefined;
  if (stream !== undefined) return stream;
  throw problem.notFound(wanted.parent_id === undefined ? "runner" : "runner or parent stream");
}

/** Closes the stream of an operation; closing it again changes nothing. 409 for streams of jobs and processes. */
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

/** The stream, of this runner if one is given; 404 otherwise. */
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

/** A page of streams; a job's or a process's own stream is listed even before anything is written to it. */
export async function listStreams(
  db: Db,
  org: OrgId,
  filter: StreamFilter,
  page: ListRequest,
): Promise<(LogStream & { sort_key: string })[]> {
  const rows = await listLogStreams(db, org, filter, page);
  const { ownerId, ownerType, bound } = filter;
  const isFirst = page.after === undefined && page.offset === 0;
  if (rows.length > 0 || !isFirst || !/^(job|prc)_/.test(ownerId ?? "")) return rows;
  const id = logStreamOf(ownerId ?? "");
  if (bound && !(await isWithin(db, org, { thing: "log_streams", id, bound }))) return [];
  const own = await findLogStream(db, org, id);
  const isAsked = own?.owner_id === ownerId && (ownerType ?? own?.owner_type) === own?.owner_type;
  return own !== undefined && isAsked ? [{ ...own, sort_key: "" }] : [];
}
