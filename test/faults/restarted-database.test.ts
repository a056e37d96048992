import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { expectEndedOnce } from "../support/model/expect-ended-once.ts";
import { startLoad } from "../support/model/start-load.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";
import { patiently } from "../support/run/folder.ts";

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-restart-"));
  await chmod(folder, 0o711);
  onTestFinished(async () => await rm(folder, { ...patiently, force: true }));
  return folder;
}

test("a database that restarts under load: the brokers come back by themselves, and every job ends once", async () => {
  const dataDir = await dataFolder();
  let postgres = await startEmbeddedPostgres({ dataDir, fsync: false });
  const { url, port } = postgres;
  onTestFinished(async () => await postgres.stop());
  await migrate(url);
  const brokers = await Promise.all([startBrokerProcess(url), startBrokerProcess(url)]);
  for (const broker of brokers) onTestFinished(() => broker.kill());
  const db = connect(url, { max: 4 });
  onTestFinished(async () => await db.end({ timeout: 1 }));
  const runner = await givenRunner(db, { parallelism: { deploy: 6 } });
  const processIds: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) processIds.push(await givenProcess(db, runner));
  const load = startLoad({
    urls: () => brokers.map((broker) => broker.url),
    runnerId: runner.runnerId,
    admin: await givenToken(db, { orgId: runner.orgId }),
    token: await givenToken(db, runner),
    processIds,
  });

  for (let restarts = 1; restarts <= 2; restarts += 1) {
    await until(() => load.finished.size >= restarts * 25);
    await postgres.stop();
    for (const broker of brokers) expect((await send(broker.url, "GET /livez")).status).toBe(200);
    postgres = await startEmbeddedPostgres({ dataDir, port, fsync: false });
    for (const broker of brokers) {
      await until(async () => (await send(broker.url, "GET /readyz")).status === 200);
    }
  }
  await until(() => load.finished.size >= 75);
  await advanceClock(db, "31 s"); // claims whose answer died with the database come back
  await load.drain();
  await expectEndedOnce(db, runner.runnerId, load);
});
