import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect, type Db } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { newId } from "../../broker/database/new-id.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { until } from "../support/broker/given-polling.ts";
import { postLogs, protobufLogs, storedBodies } from "../support/logs/otlp-logs.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJobs, givenRunner, type GivenRunner } from "../support/rows/given.ts";
import { patiently } from "../support/run/folder.ts";

const writers = 50;

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-logs-"));
  await chmod(folder, 0o711);
  onTestFinished(async () => await rm(folder, { ...patiently, force: true }));
  return folder;
}

type Writer = { readonly streamId: string; readonly acknowledged: string[] };

/** Fifty writers, each to a stream of its own, one batch after the other; every second one does not number its records. */
async function startWriters(db: Db, runner: GivenRunner, urls: () => readonly string[]) {
  const token = await givenToken(db, runner);
  const jobIds = await givenJobs(
    db,
    runner,
    Array.from({ length: writers }, () => ({})),
  );
  const over = new AbortController();
  const all = jobIds.map((jobId): Writer => ({
    streamId: `lgs_${jobId.slice(4)}`,
    acknowledged: [],
  }));
  const working = all.map(async ({ streamId, acknowledged }, nth) => {
    const executionId = newId("exe");
    for (let batch = 0; !over.signal.aborted; batch += 1) {
      const bodies = [0, 1, 2].map((line) => `writer ${nth} line ${batch * 3 + line + 1}`);
      const lines = bodies.map((body, line) =>
        nth % 2 === 0 ? { body, executionId, seq: batch * 3 + line + 1 } : { body },
      );
      await untilTaken(protobufLogs(lines), streamId, batch);
      acknowledged.push(...bodies);
    }
  });
  return {
    all,
    acknowledged: () => all.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
    stop: async () => {
      over.abort();
      await Promise.all(working);
    },
  };

  async function untilTaken(body: Buffer, streamId: string, batch: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const url = urls()[(batch + attempt) % urls().length] ?? "";
      const status = await postLogs({ url, streamId, token, body }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 201) return;
      if (status !== 0) expect(status).toBeOneOf([429, 503]);
    }
  }
}

/** What is stored of each writer is what it was told is stored: each line once, in order. */
async function expectWhole(db: Db, orgId: string, all: readonly Writer[]): Promise<void> {
  for (const { streamId, acknowledged } of all) {
    expect(await storedBodies(db, orgId, streamId)).toEqual(acknowledged);
  }
}

async function setup() {
  const dataDir = await dataFolder();
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false });
  await migrate(postgres.url);
  const brokers: BrokerProcess[] = [
    await startBrokerProcess(postgres.url),
    await startBrokerProcess(postgres.url),
  ];
  onTestFinished(async () => {
    await Promise.all(brokers.map((broker) => broker.kill()));
  });
  const db = connect(postgres.url, { max: 4 });
  onTestFinished(async () => await db.end({ timeout: 1 }));
  const runner = await givenRunner(db);
  return { dataDir, postgres, brokers, db, runner };
}

test("a database that restarts while fifty writers append: every acknowledged record is there once", async () => {
  const { dataDir, postgres: first, brokers, db, runner } = await setup();
  let postgres = first;
  onTestFinished(async () => await postgres.stop());
  const load = await startWriters(db, runner, () => brokers.map(({ url }) => url));
  for (let restarts = 1; restarts <= 3; restarts += 1) {
    const before = load.acknowledged();
    await until(() => load.acknowledged() > before + 600);
    await postgres.stop();
    postgres = await startEmbeddedPostgres({ dataDir, port: first.port, fsync: false });
  }
  const before = load.acknowledged();
  await until(() => load.acknowledged() > before + 600);
  await load.stop();
  await expectWhole(db, runner.orgId, load.all);
});

test("backends that are killed again and again while fifty writers append cost and double nothing", async () => {
  const { postgres, brokers, db, runner } = await setup();
  onTestFinished(async () => await postgres.stop());
  const load = await startWriters(db, runner, () => brokers.map(({ url }) => url));
  for (let kills = 1; kills <= 20; kills += 1) {
    const before = load.acknowledged();
    await until(() => load.acknowledged() > before + 60);
    await db`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'svc broker %' and pid <> pg_backend_pid()`;
  }
  await load.stop();
  await expectWhole(db, runner.orgId, load.all);
});
