import { giveBackExecutionRoute } from "../../shared/api/report-executions.ts";
import { Refused } from "../client/broker-errors.ts";
import { roomForPods } from "../executor/room-for-pods.ts";
import { momentNow } from "../orders/execution-leases.ts";
import { servedSlots } from "../register/served-slots.ts";
import type { ClaimedJob, RunningJob } from "../running-job.ts";
import type { TakeJobs } from "./claim.ts";
import type { LoopContext } from "./loop-context.ts";

/** Starts a job. The job reports itself; `done` resolves when nothing of it is left here. */
export type StartJob = (claimed: ClaimedJob & { readonly now: string }) => RunningJob;

/** Starts claimed jobs. Those that arrive during a shutdown or exceed the free slots are given back. */
export function makeTakeJobs(parts: LoopContext, start: StartJob, signal: AbortSignal): TakeJobs {
  const { agent, shutdown, settings, figures } = parts;
  const { runningJobs, log, config } = agent;

  function takeOne(claimed: ClaimedJob, now: string): void {
    const { job, execution } = claimed;
    if (runningJobs.get(execution.id) !== undefined) return; // a repeated poll returned it again
    const slots: Readonly<Record<string, number>> = servedSlots(config, settings.current());
    const isFull =
      runningJobs.count(job.group) >= (slots[job.group] ?? 0) ||
      roomForPods(agent, job.group) === 0;
    const isEnough = figures.claimedJobs >= parts.mostJobs;
    const hasRoom = figures.notClaiming === undefined && !isFull;
    if (shutdown.isRequested() || !hasRoom || isEnough) {
      return void giveBack(parts, claimed, signal);
    }
    figures.claimedJobs += 1;
    agent.leases.renewed([execution.id], momentNow());
    log.info({ job_id: job.id, execution_id: execution.id, type: job.type }, "claimed");
    runningJobs.add(start({ ...claimed, now }));
  }
  return (jobs, now) => {
    for (const claimed of jobs) takeOne(claimed, now);
  };
}

/** Nothing of it has begun. If the broker cannot be told, its timeouts free the job. */
async function giveBack(
  { agent, figures }: LoopContext,
  { job, execution }: ClaimedJob,
  signal: AbortSignal,
): Promise<void> {
  figures.givenBack += 1;
  figures.unsettled += 1;
  const told = { job_id: job.id, execution_id: execution.id };
  const params = told;
  try {
    await agent.client.call(giveBackExecutionRoute, { params, body: {} }, { scope: "job", signal });
    agent.log.info(told, "given back");
  } catch (error) {
    if (!(error instanceof Refused) && !signal.aborted) throw error;
    agent.log.warn({ ...told, err: error }, "giving back a job failed");
  } finally {
    figures.unsettled -= 1;
  }
}
