import { updateExecutionRoute } from "../../shared/api/report-executions.ts";
import type { AgentContext } from "../agent-context.ts";
import { isJobOver, type Refused, Unanswered } from "../client/broker-errors.ts";
import type { HeldJob } from "../jobs/run-job.ts";
import type { Loop } from "../loops/loop-runner.ts";
import type { WakeUp } from "../loops/wake-up.ts";
import { momentNow } from "../orders/execution-leases.ts";
import type { StopReason } from "../running-job.ts";

const askEveryMs = 5_000;
const lookEveryMs = 100;
const longestAskMs = 10_000;

export type Watched = {
  readonly agent: Pick<AgentContext, "client" | "leases">;
  readonly job: HeldJob;
};

/**
 * Repeats the job's status to the broker. The answers say what those to a heartbeat would: that it goes on, or that it
 * has ended and must stop. Until the signal aborts.
 */
export async function watchExecution(
  watched: Watched,
  { signal, turn }: Loop,
  wakeUp: WakeUp,
): Promise<void> {
  let isOver = false;
  while (!signal.aborted) {
    const phase = watched.job.phase();
    const isAsking = phase !== "pending" && phase !== "over" && !isOver;
    if (isAsking) isOver = !(await askOnce(watched, signal));
    turn();
    await wakeUp.wait(isAsking ? askEveryMs : lookEveryMs, signal);
  }
}

/** Reports the status once; true when the job goes on. */
export async function askOnce(
  { agent: { client, leases }, job }: Watched,
  signal: AbortSignal,
): Promise<boolean> {
  const status = job.phase();
  if (status === "over") return false;
  const params = { job_id: job.jobId, execution_id: job.executionId };
  const asked = momentNow();
  try {
    const how = { scope: "job", isOnce: true, timeoutMs: longestAskMs, signal } as const;
    const { body } = await client.call(updateExecutionRoute, { params, body: { status } }, how);
    if (body.finished_at != null) {
      job.stop("over", "gently"); // somebody else reported its end
      return false;
    }
  } catch (error) {
    if (error instanceof Unanswered) leases.renewalFailed(asked);
    if (!isJobOver(error)) throw error;
    // The job has moved on meanwhile and reported that.
    if (error.code !== "execution_goes_back") {
      job.stop(reasonOf(error), "gently");
      return false;
    }
  }
  leases.renewed([job.executionId], asked);
  return true;
}

/** The stop reason that an order would give. */
function reasonOf({ executionStatus }: Refused): StopReason {
  if (executionStatus === "cancelled" || executionStatus === "timed-out") return executionStatus;
  return executionStatus === "failed" ? "lost" : "over";
}
