import { parseCronItems, type TaskList } from "graphile-worker";
import type { Broker } from "../broker.ts";
import { tasks } from "./registry.ts";
import { type RunningTasks, runWorker } from "./run-worker.ts";
import type { TaskParts } from "./task.ts";

export type TaskOptions = {
  /** Without it nothing is scheduled: tasks run only when a statement enqueues them, and no stats are sampled. */
  readonly hasCron?: boolean;
};
type RunnerParts = TaskParts & Pick<Broker, "metrics">;

const workAtOnce = 2;
/** Deleting tasks stop after a batch then; the next run continues. */
const longestMs = 10 * 60_000;

/** Runs background work on every broker: each task on one of them. */
export async function startTasks(
  broker: RunnerParts,
  { hasCron = true }: TaskOptions = {},
): Promise<RunningTasks> {
  const stopped = new AbortController();
  const options = {
    concurrency: workAtOnce,
    taskList: taskList(broker, stopped.signal),
    parsedCronItems: hasCron ? cronItems() : [],
  };
  return await runWorker(broker, { name: "tasks", stopped, options });
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
