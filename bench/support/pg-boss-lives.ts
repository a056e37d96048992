import { setImmediate } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { plan } from "./lives.ts";
import { runClients } from "./run-clients.ts";

const queue = "bench";
const settings = { supervise: false, schedule: false, max: 10 };

type Times = { readonly warmUpS: number; readonly seconds: number };

/** Jobs a second that pg-boss sends, fetches and completes one at a time, in this process, the best of some loop counts. */
export async function pgBossSingle(
  connectionString: string,
  { warmUpS, seconds }: Times,
): Promise<number> {
  return await withBoss(connectionString, async (boss) => {
    const data = JSON.parse(plan) as object;
    const live = async (): Promise<void> => {
      await boss.send(queue, data);
      const [job] = await boss.fetch(queue);
      if (job !== undefined) await boss.complete(queue, job.id, { success: true });
    };
    let best = 0;
    for (const loops of [10, 64]) {
      const clients = Array.from({ length: loops }, () => undefined);
      await runClients(clients, warmUpS, live);
      const paced = await runClients(clients, seconds / 2, live);
      best = Math.max(best, paced.count / paced.seconds);
    }
    return best;
  });
}

/** Jobs a second that pg-boss sends, fetches and completes in batches of 100: one sender, one fetcher. */
export async function pgBossBatches(
  connectionString: string,
  { warmUpS, seconds }: Times,
): Promise<number> {
  const size = 100;
  return await withBoss(connectionString, async (boss) => {
    const data = JSON.parse(plan) as object;
    let completed = 0;
    let ahead = 0;
    const roles = {
      send: async () => {
        // Only so far ahead of the fetcher that it never finds the queue empty.
        if (ahead > 20 * size) {
          await setImmediate();
          return;
        }
        await boss.insert(
          queue,
          Array.from({ length: size }, () => ({ data })),
        );
        ahead += size;
      },
      fetch: async () => {
        const jobs = await boss.fetch(queue, { batchSize: size });
        if (jobs.length === 0) return;
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        );
        completed += jobs.length;
        ahead -= jobs.length;
      },
    };
    const both = [roles.send, roles.fetch];
    await runClients(both, warmUpS, (act) => act());
    completed = 0;
    const { seconds: tookS } = await runClients(both, seconds, (act) => act());
    return completed / tookS;
  });
}

async function withBoss<Result>(
  connectionString: string,
  act: (boss: PgBoss) => Promise<Result>,
): Promise<Result> {
  const boss = new PgBoss({ connectionString, ...settings });
  boss.on("error", (error: Error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(queue);
  const result = await act(boss);
  await boss.deleteQueue(queue);
  await boss.stop({ graceful: false });
  return result;
}
