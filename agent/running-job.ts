import { z } from "zod";
import { runnerJobSchema } from "../shared/api/runner-job.ts";

/**
 * What the agent needs of a claimed job. A newer broker may send more, and types that this agent does not know; jobs
 * of an unknown type fail with that reason.
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
 * Why a job is stopped. `cancelled`, `timed-out`, `forced` and `lost` are orders of the broker (the end of a `lost` or
 * `over` job is only evidence to the broker); `agent-stopped` means that the agent shuts down and does not wait.
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

/** A job from its claim (or adoption) until its result is in the outbox. */
export type RunningJob = {
  readonly executionId: string;
  readonly jobId: string;
  readonly group: string;
  readonly type: string;
  /** Resolves when nothing of the job runs here and its result is in the outbox. Never rejects. */
  readonly done: Promise<void>;
  /**
   * Starts to stop the job: `gently` with the signal and grace of its kind, `now` with SIGKILL. The first reason is
   * reported; a later call can only make it faster.
   */
  readonly stop: (reason: StopReason, how: "gently" | "now") => void;
};
