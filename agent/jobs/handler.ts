import type { ResultInput } from "../../shared/api/report-executions.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { AgentContext } from "../agent-context.ts";
import type { FileOwner } from "../job-users/job-files.ts";
import type { LogSource } from "../logs/job-log.ts";
import type { MakeRenderer } from "../logs/line-renderer.ts";
import type { ChildOutput, StopPlan } from "../processes/child.ts";
import type { SetOutput } from "./job-socket.ts";
import type { CommandEnd, StoredExecution } from "./stored-execution.ts";

export type Plan = Readonly<Record<string, unknown>>;
export type Outputs = Readonly<Record<string, unknown>>;
export type Severity = "debug" | "info" | "warn" | "error";
/** The claimed job, without its plan. */
export type JobInfo = StoredExecution["job"];

/** The implementation of one or more job types. A handler has no state of its own; the work of each job has. */
export type Handler = {
  readonly types: readonly RunnerJobType[];
  /** The time that its jobs need to end after a stop; 12 s by default. */
  readonly stopGraceMs?: number;
  /** The part of it that is left when `killSignal` aborts; 5 s by default. */
  readonly killGraceMs?: number;
  /**
   * Its jobs start work outside of this host. `cleanup` must end that, even when nothing else of the job is executed.
   */
  readonly isRemote?: true;
  /** Validates the plan, without side effects. Throws JobFailure when the plan is invalid. */
  readonly validate: (plan: Plan, info: JobInfo) => JobWork;
};

/**
 * The work of one job. After a restart of the agent it is made from the plan again and executed from the start.
 * `job.run` and `job.once` then return stored answers at once, so that nothing happens twice.
 */
export type JobWork = {
  /** It runs children or writes files, so `job.directories` must be made. */
  readonly needsDirectories?: boolean;
  /** It runs a program of the operator, as the agent's own user whatever `job-user` says. */
  readonly runsAsAgentUser?: boolean;
  /** It asks for approval itself, once it knows its changes (agent/approval/ask-approval.ts). */
  readonly asksApproval?: true;
  /** The timeout of the whole job, from its plan. */
  readonly timeoutMs?: number | undefined;
  readonly prepare?: (job: Job) => Promise<void>;
  readonly execute: (job: Job) => Promise<JobResult>;
  /** Always runs once something was prepared or executed; its time is limited. */
  readonly cleanup?: (job: Job) => Promise<void>;
};

/** The result of a successful job. */
export type JobResult = {
  readonly outputs?: Outputs;
  readonly description?: string;
  readonly result?: Omit<ResultInput, "success" | "error_code" | "error_metadata">;
};

/** What a handler is given of a job. */
export type Job = {
  readonly info: JobInfo;
  readonly executionId: string;
  /** The job's deadline, by this host's clock. */
  readonly deadlineAtMs: number;
  readonly plan: Plan;
  /** Aborts when the job must stop; the reason is a StopCause. */
  readonly signal: AbortSignal;
  /** Aborts when not even the clean-up may continue. */
  readonly killSignal: AbortSignal;
  /** The agent that runs the job. */
  readonly agent: AgentContext;
  /**
   * The execution's token; it reaches this execution, its log stream and its workspace at the broker. It may be absent
   * after a restart.
   */
  readonly token: string | undefined;
  readonly directories: JobDirectories;
  /** Writes a line to the job's log. A line with a key is written once, even if the agent restarts. */
  readonly log: (text: string, severity?: Severity, step?: string, key?: string) => void;
  /** Redacts the text from the next byte on, also after the agent restarts. */
  readonly addSecret: (secret: string) => void;
  /**
   * Redacts the bytes from now on, and keeps them nowhere: for what an agent that resumes the job learns anew before it
   * says anything.
   */
  readonly hide: (secret: Uint8Array) => void;
  /** Replaces all secrets in the text. */
  readonly redact: (text: string) => string;
  /** The same in all texts, numbers and keys of a JSON value. */
  readonly redactJson: <T>(value: T) => T;
  /**
   * Sets the receiver of outputs from the job's own processes. It resolves when the output is stored, and rejects with
   * a message for the script's author.
   */
  readonly onOutput: (take: (output: SetOutput) => Promise<void>) => void;
  /** Runs a child whose output goes to the log. Throws JobFailure when it cannot be started. */
  readonly run: (command: JobCommand) => Promise<CommandEnd>;
  /** Whether a child with this key has begun, also in an earlier process of the agent; it may have ended. */
  readonly hasBegun: (key: string) => boolean;
  /** Prestarts the child of a command that will probably run soon, so that it begins without delay. */
  readonly makeReady: (command: JobCommand) => void;
  /** Copies output that is not a child's into the job's log; resolves when all of it is read. */
  readonly pipe: (source: LogSource, output: ChildOutput) => Promise<void>;
  /** Does something once, even if the agent restarts; the answer is redacted and stored on disk. */
  readonly once: <T>(key: string, act: () => Promise<T>) => Promise<T>;
};

/** The directories of a job; they are removed at its end. */
export type JobDirectories = {
  /** On disk, 0700. */
  readonly workspace: string;
  /** In memory, 0700, the job user's: for files with secrets that the job's processes may read. */
  readonly secrets: string;
  /**
   * In memory, the agent's: for files that the job's processes must not reach. The same as `secrets` where jobs run as
   * the agent's user.
   */
  readonly agentOnly: string;
  /** The user who owns `workspace` and `secrets`; undefined means the agent's own. */
  readonly owner: FileOwner;
  /** Environment variables of every child of the job. */
  readonly env: Readonly<Record<string, string>>;
};

/** A command of a job, to run as a child process. */
export type JobCommand = {
  /** Its name within the job, such as "3/command". The same name means the same run. */
  readonly key: string;
  /** The step's name, as the log shows it. */
  readonly step: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Added to the environment of the job. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  /** The part of the timeout that was used before the command began. */
  readonly spentMs?: number;
  /** By default SIGTERM to the process group, then SIGKILL after ten seconds. */
  readonly stop?: StopPlan;
  /** Stops only this command, in the same way as a stop of the job. */
  readonly endEarly?: AbortSignal;
  /** For machine-readable output: renders it for people. What the renderer knows at the end is `kept`. */
  readonly render?: MakeRenderer;
  /** Runs even when the job is stopped: the always-steps after a cancel. */
  readonly isCleanup?: boolean;
  /** The command that probably follows; its child is prestarted while this one runs. */
  readonly next?: JobCommand;
  /**
   * It is a program of the agent's own that runs as the agent, whatever `job-user` says: it alone may give what it runs
   * other users.
   */
  readonly asAgent?: true;
  /**
   * It may run again after a power failure, or the job then fails anyway, so it need not be recorded durably first.
   */
  readonly isRepeatable?: true;
};
