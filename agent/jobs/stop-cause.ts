import type { ExecutionEnd } from "../../shared/runner-job-execution.ts";
import type { StopReason } from "../running-job.ts";

/** Everything that stops a job before its end: what the agent is told, and the job's own clocks. */
export type StopKind = StopReason | "deadline" | "job-timeout";

/** Why a job is stopped: the reason of its signal's abort. Whoever came first is told. */
export type StopCause = {
  readonly kind: StopKind;
  /** More than the kind says: "after 30s". */
  readonly words?: string;
};

type CauseRow = {
  /** What the execution ends as. */
  readonly status: Exclude<ExecutionEnd, "finished">;
  /** The result's word for machines. */
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

/** What a cause makes of its execution. */
export function stopRow({ kind }: StopCause): CauseRow {
  return causes[kind];
}

/** Whether the broker has given the job up, or away: what has not begun does not begin; what has comes to rest. */
export function isAnothers({ kind }: StopCause): boolean {
  return kind === "lost" || kind === "over";
}

/** A cause in words, for people. */
export function stopWords(cause: StopCause): string {
  const { words } = causes[cause.kind];
  return cause.words === undefined ? words : `${words} ${cause.words}`;
}

/** The cause with which a job's signal was aborted. */
export function causeOf(signal: AbortSignal): StopCause {
  return signal.reason as StopCause; // job signals are aborted by the stop controller only
}
