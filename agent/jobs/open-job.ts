import type { AgentContext } from "../agent-context.ts";
import type { Redactor } from "../logs/redactor.ts";
import type { Child } from "../processes/child.ts";
import { type ChildContext, makeReady } from "./begin-child.ts";
import { cleanupTimeout } from "./cleanup-timeout.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import type { Job, JobWork, Plan } from "./handler.ts";
import { type OpenDirectories, openJobDirectories } from "./job-directories.ts";
import { NotNow, type SetOutput } from "./job-socket.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";
import { makePrestartedChildren } from "./prestarted-children.ts";
import { runChild } from "./run-child.ts";
import type { StopControl } from "./stop-control.ts";

/** A job as its handler sees it, and what executing it needs besides. */
export type OpenJob = {
  readonly job: Job;
  /** Makes the job's directories and its socket. */
  readonly openDirectories: (work: Pick<JobWork, "runsAsAgentUser">) => Promise<void>;
  readonly isOpen: () => boolean;
  /** Ends what still runs and removes the directories; returns messages about what it could not end or remove. */
  readonly close: () => Promise<string[]>;
  /** Ended children, whose output is kept until the log has it. */
  readonly ended: readonly Child[];
};

type Given = {
  readonly agent: AgentContext;
  readonly record: ExecutionRecord;
  readonly stop: StopControl;
  readonly redactor: Redactor;
  readonly log: LazyJobLog;
  readonly plan: Plan;
  readonly token: string | undefined;
};

/** Makes a job. Its directories do not exist yet. */
export function openJob(given: Given): OpenJob {
  const { agent, record, stop, redactor, log } = given;
  const { state } = record;
  const ended: Child[] = [];
  const cleaning = cleanupTimeout(stop.signal);
  let directories: OpenDirectories | undefined;
  let identity: Pick<ChildContext, "user" | "cgroup"> = { user: undefined, cgroup: undefined };
  let takeOutput: ((output: SetOutput) => Promise<void>) | undefined;
  const setOutput = async (output: SetOutput): Promise<void> => {
    if (takeOutput === undefined)
      throw new NotNow("This job does not accept outputs at the moment.");
    await takeOutput(output);
  };
  const here = (): OpenDirectories => directoriesOrBug(directories);
  const mayBegin = (): Promise<void> => agent.leases.mayBegin(state.execution_id, stop.signal);
  const runDir = agent.runDir.path;
  const shared = { ...given, runDir, cleanupSignal: cleaning.signal, ended, mayBegin };
  const ahead = makePrestartedChildren(runDir, state);
  const context = (): ChildContext => ({ ...shared, ahead, ...identity, env: here().env });
  const job: Job = {
    info: state.job,
    executionId: state.execution_id,
    deadlineAtMs: state.deadline_at_ms,
    plan: given.plan,
    agent,
    signal: stop.signal,
    killSignal: stop.killSignal,
    get token() {
      return given.token ?? directories?.token;
    },
    get directories() {
      return here();
    },
    log: log.write,
    addSecret: (secret) => here().addSecret(secret),
    ...redaction(redactor),
    onOutput: (take) => void (takeOutput = take),
    run: async (command) => await runChild(context(), command),
    hasBegun: (key) => state.children[key] !== undefined,
    makeReady: (command) => makeReady(context(), command),
    pipe: async (source, output) => await log.pipe(source, output, stop.signal),
    once: async (key, act) => await once(record, redactor, { key, act, mayBegin }),
  };
  return {
    job,
    ended,
    isOpen: () => directories !== undefined,
    openDirectories: async ({ runsAsAgentUser = false }) => {
      if (!runsAsAgentUser) identity = await identityOf(agent, record, stop.signal);
      const owner = typeof identity.user === "number" ? identity.user : undefined;
      const means = { ...given, setOutput, owner };
      directories = await openJobDirectories(agent, state.execution_id, means);
    },
    close: async () => {
      cleaning.close();
      await ahead.close();
      return (await directories?.close()) ?? [];
    },
  };
}

const redaction = ({
  add,
  redactText,
  redactJson,
}: Redactor): Pick<Job, "hide" | "redact" | "redactJson"> => ({
  hide: add,
  redact: redactText,
  redactJson,
});

async function identityOf(
  agent: AgentContext,
  record: ExecutionRecord,
  signal: AbortSignal,
): Promise<Pick<ChildContext, "user" | "cgroup">> {
  const user = await userOf(agent, record, signal);
  const cgroup = await agent.jobCgroups.take(record.state.execution_id, record.state.job.type);
  if (cgroup !== undefined) record.state.cgroup = cgroup; // stored together with the first child
  return { user, cgroup };
}

function directoriesOrBug(directories: OpenDirectories | undefined): OpenDirectories {
  if (directories === undefined)
    throw new Error("the job has no directories: its work does not set needsDirectories");
  return directories;
}

type OnceCall<T> = {
  readonly key: string;
  readonly act: () => Promise<T>;
  readonly mayBegin: () => Promise<void>;
};

async function once<T>(
  { state, save }: ExecutionRecord,
  redactor: Redactor,
  { key, act, mayBegin }: OnceCall<T>,
): Promise<T> {
  if (Object.hasOwn(state.done, key)) return state.done[key] as T; // what `act` returned before
  await mayBegin();
  const answer = await act();
  state.done[key] = answer === undefined ? null : redactor.redactJson(answer);
  await save();
  return answer;
}

const refusal =
  "The setting job-user was changed after this job had started as the agent's user. The job cannot continue.";

/**
 * The user of a job's children; stored before the first child starts. A job that began as the agent's own user starts
 * no further child after `job-user` was set: the files of its earlier children belong to another user.
 */
export async function userOf(
  { jobUsers }: Pick<AgentContext, "jobUsers">,
  { state, saveDurably }: ExecutionRecord,
  signal: AbortSignal,
): Promise<ChildContext["user"]> {
  if (state.job_user !== undefined || !jobUsers.isOn) return state.job_user;
  if (Object.keys(state.children).length > 0) return { refusal };
  state.job_user = await jobUsers.take(state.execution_id, signal);
  await saveDurably();
  return state.job_user;
}
