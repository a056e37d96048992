import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { plan } from "../support/lives.ts";
import type { PeerQueue } from "./peer-queue.ts";

const queue = "bench";
const batch = 100;
const data = JSON.parse(plan) as object;

/** pg-boss as its documentation starts it, without its timers: no bench runs long enough for them. */
export async function startBoss(connectionString: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false, max: 10 });
  boss.on("error", (error: Error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
}

/** Each loop sends, fetches and completes; of batches one more fetches and completes. */
export async function openBossQueue(databaseUrl: string): Promise<PeerQueue> {
  const boss = await startBoss(databaseUrl);
  await boss.createQueue(queue);
  let [sent, done] = [0, 0];
  let fetching: Promise<never> | undefined;
  const fetchAll = async (): Promise<never> => {
    for (;;) {
      const jobs = done === sent ? [] : await boss.fetch(queue, { batchSize: batch });
      if (jobs.length === 0) {
        await sleep(1);
        continue;
      }
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
      done += jobs.length;
    }
  };
  return {
    live: async () => {
      await boss.send(queue, data);
      const [job] = await boss.fetch(queue);
      if (job !== undefined) await boss.complete(queue, job.id, { success: true });
    },
    send: async (count) => {
      fetching ??= fetchAll();
      await boss.insert(
        queue,
        Array.from({ length: count }, () => ({ data })),
      );
      sent += count;
    },
    done: () => done,
  };
}
