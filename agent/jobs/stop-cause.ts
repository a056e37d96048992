import type { ExecutionEnd } from "../../shared/runner-job-execution.ts";
import type { StopReason } from "../running-job.ts";

/** Everything that can stop a job: orders, and the job's own timeouts. */
export type StopKind = StopReason | "deadline" | "job-timeout";

/** Why a job is stopped: the abort reason of its signal. The first cause is reported. */
export type StopCause = {
  readonly kind: StopKind;
  /** Details, such as "after 30s". */
  readonly words?: string;
};

type CauseRow = {
  /** The final status of the execution. */
  readonly status: Exclude<ExecutionEnd, "finished">;
  /** The reason in the result, for programs. */
  readonly code: string;
  readonly words: string;
};

const causes = {
  cancelled: { status: "cancelled", code: "cancel", words: "cancelled" },
  "timed-out": {
    status: "timed-out",
    code: "timeout_job",
    words: "timed out",
  },
  forced: { status: "failed", code: "agent_stop_forced", words: "shut down by an operator" },
  "agent-stopped": { status: "cancelled", code: "agent_stop", words: "the agent was stopped" },
  lost: { status: "failed", code: "agent_lost", words: "declared lost by the broker" },
  over: { status: "failed", code: "fenced", words: "already ended at the broker" },
  deadline: {
    status: "timed-out",
    code: "timeout_job",
    words: "stopped shortly before its deadline",
  },
  "job-timeout": { status: "timed-out", code: "timeout_job", words: "timed out" },
} as const satisfies Record<StopKind, CauseRow>;

/** How a cause ends its execution. */
export function stopRow({ kind }: StopCause): CauseRow {
  return causes[kind];
}

/** Whether the job no longer belongs to this agent: if it has not begun, it does not begin; else it is stopped. */
export function isAnothers({ kind }: StopCause): boolean {
  return kind === "lost" || kind === "over";
}

/** The cause as text for people. */
export function stopWords(cause: StopCause): string {
  const { words } = causes[cause.kind];
  return cause.words === undefined ? words : `${words} ${cause.words}`;
}

/** The cause with which a job's signal was aborted. */
export function causeOf(signal: AbortSignal): StopCause {
  return signal.reason as StopCause; // only the stop control aborts signals of jobs
}
