import type { LogStream } from "../../shared/api/log-streams.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { Permission } from "../../shared/permissions.ts";
import type { Broker } from "../broker.ts";
import { findLogStream } from "../logs/store/queries.ts";
import { toLogStream } from "../logs/store/to-log-stream.ts";
import type { Actor } from "../tokens/actor.ts";
import { isWithin } from "../tokens/bound/within.ts";
import { findJobs } from "./queries.ts";
import { showJobTo } from "./show-job-to.ts";
import { toRunnerJob } from "./to-runner-job.ts";

/** Where jobs and logs are, and what streams say of this broker. */
export type WorkParts = Pick<Broker, "db"> & {
  readonly config: Pick<Broker["config"], "publicUrl">;
};
/** Who reads something that has work of its own. */
export type Reader = Pick<Actor, "orgId" | "permissions" | "bound" | "runnerId" | "roleType">;
type Wanted = { readonly jobs: readonly (string | null)[]; readonly logStreamId: string | null };
type Work = { readonly jobs?: RunnerJob[]; readonly log_stream?: LogStream };

/** Whether it may read what asks for this permission by itself. */
export const mayRead = ({ permissions }: Reader, permission: Permission): boolean =>
  permissions.has(permission);

/**
 * The jobs of something, the newest first, and the stream that is read of it. Whoever could not read them by themselves is not
 * shown them beside something else.
 */
export async function showWork(
  { db, config }: WorkParts,
  by: Reader,
  { jobs, logStreamId }: Wanted,
): Promise<Work> {
  const ids = jobs.flatMap((id) => id ?? []);
  const [rows, stream] = await Promise.all([
    mayRead(by, "jobs.read") ? findJobs(db, by.orgId, ids, by.bound) : undefined,
    logStreamId !== null && mayRead(by, "logs.read") ? findStream(db, by, logStreamId) : undefined,
  ]);
  return {
    ...(rows && { jobs: rows.map((row) => showJobTo(by)(toRunnerJob(row))) }),
    ...(stream && { log_stream: toLogStream(stream, config.publicUrl ?? "") }),
  };
}

async function findStream(db: Broker["db"], { orgId, bound }: Reader, id: string) {
  if (bound !== null && !(await isWithin(db, orgId, { thing: "log_streams", id, bound })))
    return undefined;
  return await findLogStream(db, orgId, id);
}
