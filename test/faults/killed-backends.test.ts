import { afterAll, beforeAll, expect, test } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundQueues } from "../support/database/expect-sound-queues.ts";
import { expectEndedOnce } from "../support/model/expect-ended-once.ts";
import { startLoad } from "../support/model/start-load.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";

const { db, url } = await testDatabase();
let brokers: BrokerProcess[];
beforeAll(async () => {
  brokers = await Promise.all([startBrokerProcess(url), startBrokerProcess(url)]);
});
afterAll(async () => {
  for (const broker of brokers) await broker.kill();
});

/** Kills every other backend of the brokers, LISTEN connections too; answers how many. */
async function killBackends(share: number): Promise<number> {
  const rows = await db`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name <> 'svc' and application_name like 'svc%' and random() < ${share}`;
  return rows.length;
}

test("backends killed all the time under load leave no half of a change, and every job ends once", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 8 } });
  const processIds: string[] = [];
  for (let nth = 0; nth < 8; nth += 1) processIds.push(await givenProcess(db, runner));
  const load = startLoad({
    urls: () => brokers.map((broker) => broker.url),
    runnerId: runner.runnerId,
    admin: await givenToken(db, { orgId: runner.orgId }),
    token: await givenToken(db, runner),
    processIds,
  });
  let killed = 0;
  for (let round = 1; round <= 20; round += 1) {
    killed += await killBackends(0.5);
    if (round % 5 === 0) await expectSoundQueues(db);
    const before = load.finished.size;
    await until(() => load.finished.size > before + 3);
  }
  expect(killed).toBeGreaterThan(40);
  await advanceClock(db, "31 s"); // claims whose answer died with a backend come back
  await load.drain();
  await expectEndedOnce(db, runner.runnerId, load);
  // Who lost what it listens with at the very end is not ready until it listens again.
  for (const { url: at } of brokers) {
    await until(async () => (await send(at, "GET /readyz")).status === 200);
  }
});
