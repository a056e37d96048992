import type { AgentContext } from "../agent-context.ts";
import type { Redactor } from "../logs/redactor.ts";
import type { Child } from "../processes/child.ts";
import { type ChildContext, makeReady } from "./begin-child.ts";
import { cleanupTimeout } from "./cleanup-timeout.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import type { Job, JobWork, Plan } from "./handler.ts";
import { type OpenPlace, openJobPlace } from "./job-place.ts";
import { NotNow, type SetOutput } from "./job-socket.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";
import { makePrestartedChildren } from "./prestarted-children.ts";
import { runChild } from "./run-child.ts";
import type { StopControl } from "./stop-control.ts";

/** A job as its handler sees it, and what its life needs besides. */
export type OpenJob = {
  readonly job: Job;
  /** Makes the job's folders and its socket. */
  readonly place: (work: Pick<JobWork, "isOperators">) => Promise<void>;
  readonly isOpen: () => boolean;
  /** Ends what still runs and takes the folders away; words for what could not be. */
  readonly close: () => Promise<string[]>;
  /** Children whose output is kept until the log has it. */
  readonly ended: readonly Child[];
};

type Given = {
  readonly host: AgentContext;
  readonly record: ExecutionRecord;
  readonly stop: StopControl;
  readonly redactor: Redactor;
  readonly log: LazyJobLog;
  readonly plan: Plan;
  readonly token: string | undefined;
};

/** A job whose folders are not there yet. */
export function openJob(given: Given): OpenJob {
  const { host, record, stop, redactor, log } = given;
  const { state } = record;
  const ended: Child[] = [];
  const cleaning = cleanupTimeout(stop.signal);
  let place: OpenPlace | undefined;
  let whose: Pick<ChildContext, "user" | "cgroup"> = { user: undefined, cgroup: undefined };
  let takeOutput: ((output: SetOutput) => Promise<void>) | undefined;
  const setOutput = async (output: SetOutput): Promise<void> => {
    if (takeOutput === undefined)
      throw new NotNow("This job does not accept outputs at the moment.");
    await takeOutput(output);
  };
  const here = (): OpenPlace => placeOrBug(place);
  const mayBegin = (): Promise<void> => host.leases.mayBegin(state.execution_id, stop.signal);
  const runDir = host.runDir.path;
  const shared = { ...given, runDir, cleanupSignal: cleaning.signal, ended, mayBegin };
  const ahead = makePrestartedChildren(runDir, state);
  const context = (): ChildContext => ({ ...shared, ahead, ...whose, env: here().env });
  const job: Job = {
    facts: state.job,
    executionId: state.execution_id,
    deadlineAtMs: state.deadline_at_ms,
    plan: given.plan,
    host,
    signal: stop.signal,
    hurry: stop.hurry,
    get token() {
      return given.token ?? place?.token;
    },
    get place() {
      return here();
    },
    say: log.write,
    hide: (secret) => here().hide(secret),
    shown: (text) => redactor.redactText(text),
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
    isOpen: () => place !== undefined,
    place: async ({ isOperators = false }) => {
      if (!isOperators) whose = await whoseOf(host, record, stop.signal);
      const { user } = whose;
      const owner = typeof user === "number" ? user : undefined;
      place = await openJobPlace(host, state.execution_id, { ...given, setOutput, owner });
    },
    close: async () => {
      cleaning.close();
      await ahead.close();
      return (await place?.close()) ?? [];
    },
  };
}

async function whoseOf(
  host: AgentContext,
  record: ExecutionRecord,
  signal: AbortSignal,
): Promise<Pick<ChildContext, "user" | "cgroup">> {
  const user = await userOf(host, record, signal);
  const cgroup = await host.jobCgroups.take(record.state.execution_id);
  if (cgroup !== undefined) record.state.cgroup = cgroup; // on disk with the first child
  return { user, cgroup };
}

function placeOrBug(place: OpenPlace | undefined): OpenPlace {
  if (place === undefined) throw new Error("this kind of job has no place: usesHost is not set");
  return place;
}

type Deed<T> = {
  readonly key: string;
  readonly act: () => Promise<T>;
  readonly mayBegin: () => Promise<void>;
};

async function once<T>(
  { state, save }: ExecutionRecord,
  redactor: Redactor,
  { key, act, mayBegin }: Deed<T>,
): Promise<T> {
  if (Object.hasOwn(state.done, key)) return state.done[key] as T; // what `act` answered before
  await mayBegin();
  const answer = await act();
  state.done[key] = answer === undefined ? null : redactor.redactJson(answer);
  await save();
  return answer;
}

const refusal =
  "The setting job-user was changed after this job had started as the agent's user. The job cannot continue.";

/**
 * The user of a job's children: known on disk before the first one is born. A job that began as the agent's own user
 * starts no further child once there are users for jobs: what it has would be another's.
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
