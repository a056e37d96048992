import { Logger, makeWorkerUtils, type Runner, run } from "graphile-worker";
import { plan } from "../support/lives.ts";
import type { PeerQueue } from "./peer-queue.ts";

const data = JSON.parse(plan) as object;
const atOnce = 64;

/** graphile-worker as its documentation makes it fast: a local queue of jobs that are fetched together, ends written together. */
export async function openGraphileQueue(connectionString: string): Promise<PeerQueue> {
  const waiting = new Map<number, () => void>();
  let [nth, done] = [0, 0];
  const runner: Runner = await run({
    connectionString,
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: atOnce,
        maxPoolSize: 10,
        localQueue: { size: 2 * atOnce },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: { live: () => {}, count: () => {} },
    logger: new Logger(() => () => {}),
  });
  // Its end is written.
  runner.events.on("job:complete", ({ job, error }) => {
    if (error) throw error as Error;
    if (job.task_identifier === "count") {
      done += 1;
      return;
    }
    const { at } = job.payload as { readonly at: number };
    waiting.get(at)?.();
    waiting.delete(at);
  });
  const utils = await makeWorkerUtils({ connectionString });
  return {
    live: async () => {
      const at = ++nth;
      const over = new Promise<void>((resolve) => waiting.set(at, resolve));
      await runner.addJob("live", { ...data, at });
      await over;
    },
    send: async (count) => {
      await utils.addJobs(
        Array.from({ length: count }, () => ({ identifier: "count", payload: data })),
      );
    },
    done: () => done,
  };
}
