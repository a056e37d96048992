import { setImmediate } from "node:timers/promises";
import { plan } from "../support/lives.ts";
import { type Paced, runClients } from "../support/run-clients.ts";
import { startBoss } from "./pg-boss-queue.ts";

/**
 * pg-boss in a process of its own, without HTTP: it sends, fetches and completes. Told by messages how long; answers how
 * many jobs it completed meanwhile. `single`: one job a call, by the number of loops that was the faster in the warm-up;
 * `batch`: 100 jobs a call, one sender and one fetcher.
 */
export type BossTask = { readonly kind: "single" | "batch"; readonly seconds: number };

const queue = "bench";
const batch = 100;
const [databaseUrl = ""] = process.argv.slice(2);
const boss = await startBoss(databaseUrl);
await boss.createQueue(queue);
const data = JSON.parse(plan) as object;
const work = { single: singles(), batch: batches };

process.on("message", ({ kind, seconds }: BossTask) => {
  void work[kind](seconds).then((paced) => process.send?.(paced));
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");

/** The first task is the warm-up: it tries both numbers of loops. */
function singles(): (seconds: number) => Promise<Paced> {
  let loops: number | undefined;
  return async (seconds) => {
    if (loops !== undefined) return runLoops(loops, seconds);
    const [few, many] = [await runLoops(10, seconds / 2), await runLoops(64, seconds / 2)];
    loops = few.count > many.count ? 10 : 64;
    return few;
  };
}

function runLoops(loops: number, seconds: number): Promise<Paced> {
  return runClients(Array.from({ length: loops }), seconds, async () => {
    await boss.send(queue, data);
    const [job] = await boss.fetch(queue);
    if (job !== undefined) await boss.complete(queue, job.id, { success: true });
  });
}

async function batches(seconds: number): Promise<Paced> {
  let [completed, ahead] = [0, 0];
  const roles = [
    async () => {
      // Only so far ahead of the fetcher that it never finds the queue empty.
      if (ahead > 20 * batch) return setImmediate();
      await boss.insert(
        queue,
        Array.from({ length: batch }, () => ({ data })),
      );
      ahead += batch;
    },
    async () => {
      const jobs = await boss.fetch(queue, { batchSize: batch });
      if (jobs.length === 0) return;
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
      completed += jobs.length;
      ahead -= jobs.length;
    },
  ];
  const { seconds: tookS } = await runClients(roles, seconds, (role) => role());
  await boss.deleteQueuedJobs(queue);
  return { count: completed, seconds: tookS };
}
