import type { ChildOutput } from "../processes/child.ts";

export type LogSeverity = "debug" | "info" | "warn" | "error";

/** Whose log it is. */
export type JobLogSpec = {
  readonly executionId: string;
  /** The job's log stream at the broker. */
  readonly streamId: string;
  /** What every record carries: `runner_job.id`, `runner_job.type`, `runner_job_execution.id` … */
  readonly attributes: Readonly<Record<string, string>>;
};

/** What a line comes from. */
export type LogSource = {
  /** The step's name, as readers see it. */
  readonly step: string;
  /** Names the run of a child within the job: the same name, after a restart of the agent, is the same run. */
  readonly run: string;
};

/**
 * The log of one execution: lines, numbered from 1, timed, redacted. What has been written goes to disk within 250 ms
 * and to the broker by itself; opened again after a crash, it goes on where it was, each line once.
 */
export type JobLog = {
  /** Says a line (or several) of the agent's own. */
  readonly write: (text: string, severity?: LogSeverity, step?: string) => void;
  /** Reads the output to its end, or on from where a former process of the agent stopped; releases what is on disk. */
  readonly pipe: (source: LogSource, output: ChildOutput) => Promise<void>;
  /** Resolves when everything written so far is on disk. */
  readonly flush: () => Promise<void>;
  /** Resolves when all is on disk; nothing can be written any more. The number of the last line goes with the finish. */
  readonly close: () => Promise<{ readonly lastRecord: number }>;
};
