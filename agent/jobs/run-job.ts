import type { ClaimedJob, RunningJob } from "../running-job.ts";
import type { StoredExecution } from "./execution-state.ts";
import type { JobHost } from "./job-host.ts";

/** A claimed job, and the broker's clock when it was handed out: deadlines are told by that clock. */
export type Claimed = ClaimedJob & { readonly now?: string };

/** A job that this agent holds. */
export type HeldJob = RunningJob & {
  /** Where it is. */
  readonly phase: () => JobPhase;
  /** Gives it back while no work began; false when it is too late for that. */
  readonly giveBack: () => Promise<boolean>;
};

/** The statuses of an execution as its agent goes through them; `over` when nothing of it is left here. */
export type JobPhase = "pending" | "initializing" | "in-progress" | "cleaning-up" | "over";

/** Begins a claimed job; it reports itself, and resolves `done` when nothing of it is left here. */
export function startJob(host: JobHost, claimed: Claimed): HeldJob {
  throw new Error(`not yet: ${host.runnerId} ${claimed.execution.id}`);
}

/** Takes up a job that a former process of this agent began. */
export function resumeJob(host: JobHost, stored: StoredExecution): HeldJob {
  throw new Error(`not yet: ${host.runnerId} ${stored.execution_id}`);
}
