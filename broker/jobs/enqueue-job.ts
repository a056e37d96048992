import { type Enqueue, type EnqueueingBroker, enqueueJobs } from "./enqueue-jobs.ts";
import type { NewJob } from "./new-job.ts";
import type { JobRow } from "./row.ts";

export type EnqueuedJob = { readonly job: JobRow; readonly isReplay: boolean };
type EnqueueOne = Omit<Enqueue, "jobs"> & { readonly job: NewJob };

/** Takes one job, as enqueueJobs takes several. */
export async function enqueueJob(
  broker: EnqueueingBroker,
  { job, ...enqueue }: EnqueueOne,
): Promise<EnqueuedJob> {
  const { rows, isReplay } = await enqueueJobs(broker, { ...enqueue, jobs: [job] });
  const [made] = rows;
  if (made === undefined) throw new Error("one job was enqueued and none came back");
  return { job: made, isReplay };
}
