import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { secretWord } from "../support/agent/secret-word.ts";
import { startTestAgent } from "../support/agent/start-test-agent.ts";
import { tickingScript } from "../support/agent/ticking-script.ts";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { storedBodies } from "../support/logs/otlp-logs.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJob, givenRunner } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

async function setup() {
  const dataDir = await testFolder();
  let postgres = await startEmbeddedPostgres({ dataDir, fsync: false });
  onTestFinished(async () => await postgres.stop());
  await migrate(postgres.url);
  let broker = await startBrokerProcess(postgres.url);
  onTestFinished(async () => await broker.kill());
  const { url } = broker;
  const { port } = new URL(url);
  const db = connect(postgres.url, { max: 2 });
  onTestFinished(async () => await db.end({ timeout: 1 }));
  const isReady = async (): Promise<boolean> => (await send(url, "GET /readyz")).status === 200;
  return {
    db,
    url,
    brokerAway: async (act: () => Promise<void>) => {
      await broker.kill();
      await act();
      broker = await startBrokerProcess(postgres.url, { port });
    },
    databaseAway: async (act: () => Promise<void>) => {
      await postgres.stop();
      await act();
      postgres = await startEmbeddedPostgres({ dataDir, port: postgres.port, fsync: false });
      await until(isReady);
    },
  };
}

test("a broker killed and a database restarted in the middle of a job cost it no line and no second try", async () => {
  const { db, url, brokerAway, databaseAway } = await setup();
  const runner = await givenRunner(db);
  const token = await givenToken(db, runner);
  const agent = await startTestAgent({ url, token });
  const secret = secretWord();
  const script = tickingScript(await testFolder(0o777), secret);
  const jobId = await givenJob(db, runner, { type: "noop", ...script.job });
  const stored = async () => await storedBodies(db, runner.orgId, `lgs_${jobId.slice(4)}`);
  const tenMore = async (): Promise<void> => {
    const before = (await stored()).length;
    await until(async () => (await stored()).length >= before + 10);
  };
  const waiting = () => agent.status().waiting;
  const someWait = async (): Promise<void> => await until(() => waiting().log_bytes > 1_000);

  await tenMore();
  await brokerAway(someWait);
  await tenMore();
  await databaseAway(someWait);
  await tenMore();
  // Once more, and the job ends while nobody is there to hear of it.
  await brokerAway(async () => {
    await script.release();
    await until(() => waiting().results === 1);
  });

  await until(() => waiting().results === 0 && waiting().log_bytes === 0);
  const rows = await db`
    select e.status, r.success from runner_job_executions e
      left join runner_job_execution_results r on r.execution_id = e.id
     where e.runner_job_id = ${jobId}`;
  expect([...rows]).toEqual([{ status: "finished", success: true }]);
  const printed = await script.printed();
  expect((await stored()).slice(1, -1)).toEqual(printed); // between the beginning and the end of the step
});
