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
  /** Resolves when something new may begin, or the job is stopped. */
  readonly mayBegin: () => Promise<void>;
  /** Aborted when cleaning up has taken too long. */
  readonly cleanupSignal: () => AbortSignal;
  readonly env: Readonly<Record<string, string>>;
  /** Whom children run as; words where none may be started any more. */
  readonly user: number | undefined | { readonly refusal: string };
  /** What holds them together, where there is such a thing. */
  readonly cgroup: string | undefined;
  /** Children that have ended: their folders stay until their output is safe. */
  readonly ended: Child[];
  readonly ahead: PrestartedChildren;
};

const usualStop = { signal: "SIGTERM", to: "group", graceMs: 10_000 } as const;

/**
 * Starts a command's child, that which was made ready for it if there is one. It is stored before, so that whoever
 * comes after us knows that it may have been born. Undefined where the job was stopped meanwhile; "lost" where it was told
 * to begin and nobody knows what it did. Throws JobFailure.
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
      delete state.children[command.key]; // it was not started, and will not be
      await ready?.drop();
      throw error;
    });
  };
  let ready = await ahead.take(command.key, spec);
  let number = ready?.spec.step ?? ahead.nextNumber();
  await writeDown(number);
  if (ready?.isWaiting() === false) {
    await ready.drop(); // it has gone meanwhile, and has done nothing
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

/** Makes a command's child ready, unless it was begun before: nothing of it runs until it is begun. */
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
    user,
    cgroup,
  };
}
