import type { Redactor } from "../logs/redactor.ts";
import { ChildError, ChildLost } from "../processes/child-error.ts";
import type { Child } from "../processes/child.ts";
import { bootId } from "../processes/process-identity.ts";
import { startChild } from "../processes/start-child.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import type { JobCommand } from "./handler.ts";
import { JobFailure } from "./job-failure.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";
import type { PrestartedChildren, UnnumberedChild } from "./prestarted-children.ts";
import type { StopControl } from "./stop-control.ts";

/** What a job's children share. */
export type ChildContext = {
  readonly runDir: string;
  readonly record: ExecutionRecord;
  readonly log: LazyJobLog;
  readonly redactor: Redactor;
  readonly stop: StopControl;
  /** Resolves when a new child may begin, or when the job is stopped. */
  readonly mayBegin: () => Promise<void>;
  /** Aborted when the clean-up takes too long. */
  readonly cleanupSignal: () => AbortSignal;
  readonly env: Readonly<Record<string, string>>;
  /** The user of the children; `refusal` when no further child may start. */
  readonly user: number | undefined | { readonly refusal: string };
  /** The cgroup of the children, if cgroups are used. */
  readonly cgroup: string | undefined;
  /** Children that have ended. Their folders stay until their output is stored. */
  readonly ended: Child[];
  readonly ahead: PrestartedChildren;
};

const usualStop = { signal: "SIGTERM", to: "group", graceMs: 10_000 } as const;

/**
 * Starts the child of a command; a prestarted child is used if there is one. The child is recorded first, so that an
 * agent that resumes the job knows that it may exist. Returns undefined when the job was stopped meanwhile, "lost"
 * when the child was told to begin and its fate is unknown. Throws JobFailure.
 */
export async function beginChild(
  context: ChildContext,
  command: JobCommand,
  isStopped: () => boolean,
): Promise<Child | "lost" | undefined> {
  const { ahead, record } = context;
  const { state, saveDurably, saveSurely, save } = record;
  const { user } = context;
  if (typeof user === "object") throw new JobFailure(user.refusal, { reason: "internal" });
  const spec = specOf(context, command, user);
  const { timeoutMs, isRepeatable } = command;
  const writeDown = async (number: number): Promise<void> => {
    state.children[command.key] = {
      number,
      startedAtMs: Date.now(),
      bootId: bootId(),
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
    await (isRepeatable === true ? saveSurely : saveDurably)().catch(async (error: unknown) => {
      delete state.children[command.key]; // it was not started and will not be
      await ready?.drop();
      throw error;
    });
  };
  let ready = await ahead.take(command.key, spec);
  let number = ready?.spec.step ?? ahead.nextNumber();
  await writeDown(number);
  if (ready?.isWaiting() === false) {
    await ready.drop(); // it ended before it was told to begin, so nothing of it ran
    ready = undefined;
    number = ahead.nextNumber();
    await writeDown(number);
  }
  const forget = async (): Promise<void> => {
    delete state.children[command.key];
    await save();
  };
  if (isStopped()) {
    await ready?.drop();
    await forget();
    return undefined;
  }
  try {
    return await (ready === undefined ? startChild({ ...spec, step: number }) : ready.go());
  } catch (error) {
    if (error instanceof ChildLost) return "lost";
    if (!(error instanceof ChildError)) throw error;
    await forget();
    throw new JobFailure(`${command.step}: ${error.message}`, {
      reason: "process_run_error",
      code: error.code,
    });
  }
}

/** Prestarts the child of a command, unless it has begun already. The command itself does not run yet. */
export function makeReady(context: ChildContext, command: JobCommand): void {
  const { ahead, record, user } = context;
  if (typeof user === "object" || record.state.children[command.key] !== undefined) return;
  ahead.make(command.key, specOf(context, command, user));
}

function specOf(
  { record, env, runDir, cgroup }: ChildContext,
  command: JobCommand,
  user: number | undefined,
): UnnumberedChild {
  return {
    executionId: record.state.execution_id,
    argv: command.argv,
    cwd: command.cwd,
    env: { ...env, ...command.env },
    runDir,
    stop: command.stop ?? usualStop,
    user: command.asAgent === true ? undefined : user,
    cgroup,
  };
}
