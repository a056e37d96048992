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
/** The job as it was claimed. */
export type JobFacts = StoredExecution["job"];

/** How one or several kinds of job are done. A handler has no state of its own: each job gets its own work. */
export type Handler = {
  readonly types: readonly RunnerJobType[];
  /** What its jobs need to come to rest after they were stopped; 12 s by default. */
  readonly stopGraceMs?: number;
  /** Of that, what they need once they are told to hurry; 5 s by default. */
  readonly killGraceMs?: number;
  /** What its jobs set going may go on without this host: `cleanup` ends it, also where nothing else of the job is done. */
  readonly isRemote?: true;
  /** Reads the plan, touches nothing. Throws JobFailure when the plan is not fit. */
  readonly validate: (plan: Plan, facts: JobFacts) => JobWork;
};

/**
 * The work of one job. After a restart of the agent it is made anew from the plan and done again from the
 * start: `job.run` and `job.once` answer at once what was done before, so nothing happens twice.
 */
export type JobWork = {
  /** It runs children or keeps files: it gets a workspace and a place for secrets. */
  readonly needsDirectories?: boolean;
  /** It runs what the operator put on this host, as the agent's own user whatever `job-user` says. */
  readonly runsAsAgentUser?: boolean;
  /** It asks for consent by itself, when it knows what it would change (agent/approval/ask-approval.ts). */
  readonly asksApproval?: true;
  /** The plan's own bound of the whole job. */
  readonly timeoutMs?: number | undefined;
  readonly prepare?: (job: Job) => Promise<void>;
  readonly execute: (job: Job) => Promise<Produced>;
  /** Runs whatever happened, when something was prepared or executed; bounded. */
  readonly cleanup?: (job: Job) => Promise<void>;
};

/** What came of a job that went well. */
export type Produced = {
  readonly outputs?: Outputs;
  readonly description?: string;
  readonly result?: Omit<ResultInput, "success" | "error_code" | "error_metadata">;
};

/** A job in its handler's hands. */
export type Job = {
  readonly facts: JobFacts;
  readonly executionId: string;
  /** When it has to be over, by this host's clock. */
  readonly deadlineAtMs: number;
  readonly plan: Plan;
  /** Aborted when the job is to stop; its reason is a StopCause. */
  readonly signal: AbortSignal;
  /** Aborted when there is no time left even to clean up. */
  readonly killSignal: AbortSignal;
  /** The agent that it runs in. */
  readonly agent: AgentContext;
  /** Reaches this execution, its log stream and its workspace at the broker; may be absent after a restart. */
  readonly token: string | undefined;
  readonly directories: JobDirectories;
  /** Writes a line to the job's log; with a key, once, over restarts of the agent. */
  readonly log: (text: string, severity?: Severity, step?: string, key?: string) => void;
  /** From the next byte on, the text appears nowhere, not after a takeover either. */
  readonly addSecret: (secret: string) => void;
  /** The text as it may be shown: without any secret. */
  readonly redact: (text: string) => string;
  /**
   * Takes what the job's own processes set as outputs: resolve when it is kept, reject with words for them to refuse it.
   */
  readonly onOutput: (take: (output: SetOutput) => Promise<void>) => void;
  /** Runs a child whose output goes to the log. Throws JobFailure when it cannot be started. */
  readonly run: (command: JobCommand) => Promise<CommandEnd>;
  /** Whether the child of this key was begun, by whichever process of the agent; it may have ended. */
  readonly hasBegun: (key: string) => boolean;
  /** Makes the child of a command ready that is to be run soon, so that it begins at once; it may as well never be run. */
  readonly makeReady: (command: JobCommand) => void;
  /** Brings what something prints that is no child of the job into its log; resolves when it has been read to its end. */
  readonly pipe: (source: LogSource, output: ChildOutput) => Promise<void>;
  /** Does something once, over restarts of the agent; its answer, redacted, is kept on disk. */
  readonly once: <T>(key: string, act: () => Promise<T>) => Promise<T>;
};

/** A job's own folders; all are gone after it. */
export type JobDirectories = {
  /** On disk, 0700. */
  readonly workspace: string;
  /** In memory, 0700, the job's own: whatever holds a secret that its processes may know. */
  readonly secrets: string;
  /** In memory, the agent's: what the job's processes may not touch. The same folder where they are the agent's user. */
  readonly agentOnly: string;
  /** Whose workspace and secrets are; undefined: the agent's own. */
  readonly owner: FileOwner;
  /** What every child of the job finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
};

/** A child of a job. */
export type JobCommand = {
  /** Names it within the job: "3/command". The same name is the same run. */
  readonly key: string;
  /** The step's name, as the log shows it. */
  readonly step: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Over the job's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  /** So much of the timeout was used before it began. */
  readonly spentMs?: number;
  /** The group is told to end by SIGTERM and has ten seconds, by default. */
  readonly stop?: StopPlan;
  /** Stops it alone, as a stop of the job would. */
  readonly endEarly?: AbortSignal;
  /** What it prints is for programs: people read what this makes of it, and what it knows is the end's `kept`. */
  readonly render?: MakeRenderer;
  /** Goes on although the job is to stop: the always-steps after a cancel. */
  readonly isCleanup?: boolean;
  /** What is to be run after it, as far as is known: its child is made ready while this one runs. */
  readonly next?: JobCommand;
  /** After a power cut it is run again, or the job ends, whether or not it is known to have begun. */
  readonly isRepeatable?: true;
};
