import { z } from "zod";
import { runnerJobSchema } from "../shared/api/runner-job.ts";

/**
 * What a claim hands over, as far as the agent relies on it. A newer broker may say more, and use words that this agent
 * does not know: an unknown type of job fails as such.
 */
export const claimedJobSchema = z.looseObject({
  job: z.looseObject({
    ...runnerJobSchema.pick({ id: true, runner_id: true, metadata: true }).shape,
    type: z.string(),
    group: z.string(),
    operation: z.string(),
    log_stream_id: z.string().nullable(),
    execution_count: z.int(),
  }),
  execution: z.looseObject({ id: z.string() }),
  plan: z.record(z.string(), z.unknown()),
  /** Reaches this execution, its log stream and its workspace, while it lives. */
  token: z.string(),
  deadline: z.iso.datetime(),
});
export type ClaimedJob = z.infer<typeof claimedJobSchema>;

/**
 * Why a job is stopped. `cancelled`, `timed-out`, `forced` and `lost` are the broker's orders (how a job ends that is
 * `lost`, or `over`, is evidence to the broker and changes nothing); `agent-stopped`: the agent shuts down and lets
 * nothing run on.
 */
export const stopReasons = [
  "cancelled",
  "timed-out",
  "forced",
  "lost",
  "over",
  "agent-stopped",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** A job on its way, from the claim (or from a takeover) to its result in the spool. */
export type RunningJob = {
  readonly executionId: string;
  readonly jobId: string;
  readonly group: string;
  readonly type: string;
  /** The job has ended here: nothing of it runs, its result is in the spool. Never rejects. */
  readonly done: Promise<void>;
  /**
   * Begins to stop it: `gently`, by its kind's signal and grace, or `now`, by SIGKILL. The first reason is the one that
   * is told; asked again it may only hurry.
   */
  readonly stop: (reason: StopReason, how: "gently" | "now") => void;
};
