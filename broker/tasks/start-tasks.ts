import {
  Logger,
  parseCronItems,
  run,
  type Runner,
  type RunnerOptions,
  type TaskList,
} from "graphile-worker";
import type { Broker } from "../broker.ts";
import { repeat } from "../clocks/repeat.ts";
import type { Log } from "../log.ts";
import { tasks } from "./registry.ts";
import type { TaskParts } from "./task.ts";

export type TaskOptions = {
  /** Without it no task is scheduled: tasks run only when a statement enqueues them. */
  readonly hasCron?: boolean;
};
type RunnerParts = TaskParts & Pick<Broker, "metrics">;
export type RunningTasks = {
  /** Lets running tasks end their batch, and stops. */
  readonly stop: () => Promise<void>;
};

/** One connection listens, two work. */
const poolSize = 3;
const workAtOnce = 2;
const restartAfterMs = 5000;
/** Deleting tasks stop after a batch then; the next run continues. */
const longestMs = 10 * 60_000;

/**
 * Runs background work on every broker: graphile-worker gives each task to one of them. It has a small
 * pool of its own, so that no claim waits for it.
 */
export async function startTasks(
  broker: RunnerParts,
  { hasCron = true }: TaskOptions = {},
): Promise<RunningTasks> {
  const stopped = new AbortController();
  const options = optionsOf(broker, stopped.signal, hasCron);
  let runner: Runner | undefined = await run(options);
  const loop = { signal: stopped.signal, log: broker.log };
  const running = repeat(loop, "tasks", restartAfterMs, async () => {
    runner ??= await run(options);
    if (stopped.signal.aborted) await runner.stop();
    await runner.promise.finally(() => (runner = undefined));
  });
  return {
    stop: async () => {
      stopped.abort();
      await runner?.stop();
      await running;
    },
  };
}

function optionsOf(broker: RunnerParts, stopped: AbortSignal, hasCron: boolean): RunnerOptions {
  return {
    connectionString: broker.config.databaseUrl,
    maxPoolSize: poolSize,
    concurrency: workAtOnce,
    noHandleSignals: true,
    logger: loggerOf(broker.log),
    taskList: taskList(broker, stopped),
    parsedCronItems: hasCron ? cronItems() : [],
  };
}

function taskList(broker: RunnerParts, stopped: AbortSignal): TaskList {
  const runs = broker.metrics.counter("svc_tasks_total", "Background tasks that ran.");
  return Object.fromEntries(
    Object.entries(tasks).map(([name, { task }]) => [
      name,
      async (payload: unknown) => {
        const work = { payload, ...limited(stopped) };
        try {
          await task(broker, work);
          runs.add({ task: name, result: "done" });
        } catch (error) {
          runs.add({ task: name, result: "failed" });
          throw error; // graphile-worker logs it and tries again
        } finally {
          work.release();
        }
      },
    ]),
  );
}

/** A signal that aborts with the stop, or when a run takes too long. */
function limited(stopped: AbortSignal): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, longestMs);
  stopped.addEventListener("abort", end);
  const release = (): void => {
    clearTimeout(timer);
    stopped.removeEventListener("abort", end);
  };
  return { signal: ended.signal, release };
}

/** At most one run of a task is queued, however long a run takes. */
function cronItems(): ReturnType<typeof parseCronItems> {
  return parseCronItems(
    Object.entries(tasks).flatMap(([task, { cron }]) =>
      cron === undefined
        ? []
        : [{ task, match: cron, options: { jobKey: task, jobKeyMode: "replace", maxAttempts: 3 } }],
    ),
  );
}

function loggerOf(log: Log): Logger {
  const levels = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;
  return new Logger((scope) => (level, message) => {
    log[levels[level]]({ worker: scope.label, task: scope.taskIdentifier }, message);
  });
}
