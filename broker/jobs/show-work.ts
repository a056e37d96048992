import type { LogStream } from "../../shared/api/log-streams.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { Broker } from "../broker.ts";
import { findLogStream } from "../logs/store/queries.ts";
import { toLogStream } from "../logs/store/to-log-stream.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findJobs } from "./queries.ts";
import { toRunnerJob } from "./to-runner-job.ts";

/** Where jobs and logs are, and what streams say of this broker. */
export type WorkParts = Pick<Broker, "db"> & {
  readonly config: Pick<Broker["config"], "publicUrl">;
};
type Wanted = { readonly jobs: readonly (string | null)[]; readonly logStreamId: string | null };

/** The jobs of something, the newest first, and the stream that is read of it. */
export async function showWork(
  { db, config }: WorkParts,
  org: OrgId,
  { jobs, logStreamId }: Wanted,
): Promise<{ readonly jobs: RunnerJob[]; readonly log_stream?: LogStream }> {
  const ids = jobs.flatMap((id) => id ?? []);
  const [rows, stream] = await Promise.all([
    ids.length === 0 ? [] : findJobs(db, org, ids),
    logStreamId === null ? undefined : findLogStream(db, org, logStreamId),
  ]);
  return {
    jobs: rows.map(toRunnerJob),
    ...(stream && { log_stream: toLogStream(stream, config.publicUrl ?? "") }),
  };
}
