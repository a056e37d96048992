import { expect, onTestFinished, test } from "vitest";
import { keySource } from "../../broker/seals/key-source.ts";
import { openSeals } from "../../broker/seals/seals.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { testSealKeys } from "../support/broker/seal-keys.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import { givenQueue, signalStatus } from "../support/queues/given-signals.ts";
import { aCallback, endOfSignal, givenTurn } from "../support/queues/given-turns.ts";
import { startReceiver } from "../support/queues/start-receiver.ts";
import { claim, givenProcess, givenRunner, report } from "../support/rows/given.ts";

const { db, url } = await testDatabase();
const seals = await openSeals(keySource(testSealKeys));

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  return broker;
}

async function callbackOf(id: string) {
  const [row] = await db<{ status: string; tries: number }[]>`
    select status, tries from queue_signal_callbacks where signal_id = ${id}`;
  return row;
}

test("a turn begun by a broker that was killed is executed again, by another lease, and never twice at once", async () => {
  const never = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver({
    "/": (nth) => (nth === 1 ? never.promise : { status: 200 }),
  });
  const queue = await givenQueue(db);
  const contents = { url: `${receiver.url}/`, timeout: "2m" };
  const dying = await start();
  const id = await givenTurn(db, seals, { queue, type: "http-call", contents });
  await expect.poll(() => receiver.received.length).toBe(1);
  await dying.kill();
  await start();
  await advanceClock(db, "50 s");
  await db`select sweep_signals(100)`;
  expect(await signalStatus(db, id)).toBe("in-flight");
  expect(receiver.received).toHaveLength(1);
  await advanceClock(db, "30 s");
  await expect.poll(() => signalStatus(db, id)).toBe("finished");
  expect(receiver.received).toHaveLength(2);
  expect(await endOfSignal(db, seals, id)).toMatchObject({ executions: 2 });
  await expectSoundSignals(db);
});

test("a turn that no broker had begun is executed by the next one, and has lost no execution", async () => {
  const queue = await givenQueue(db);
  const members = { max_executions: 1 };
  const id = await givenTurn(db, seals, { queue, type: "noop", contents: {}, members });
  expect(await signalStatus(db, id)).toBe("in-flight");
  await advanceClock(db, "1 hour");
  await start();
  await expect.poll(() => signalStatus(db, id)).toBe("finished");
  expect(await endOfSignal(db, seals, id)).toMatchObject({ executions: 1 });
  await expectSoundSignals(db);
});

test("a callback is written with the end: whoever is killed then, it is made, and made again if its broker is killed meanwhile", async () => {
  const never = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver({
    "/": (nth) => (nth === 1 ? never.promise : { status: 200 }),
  });
  const queue = await givenQueue(db);
  const callbacks = [
    aCallback(seals, queue, { kind: "http-call", contents: { url: `${receiver.url}/` } }),
  ];
  const members = { callbacks };
  const id = await givenTurn(db, seals, { queue, type: "noop", contents: {}, members });
  await db`select cancel_signals(${queue.orgId}, ${[id]}, 'with no broker')`;
  expect(await callbackOf(id)).toMatchObject({ status: "pending", tries: 0 });
  const dying = await start();
  await expect.poll(() => receiver.received.length).toBe(1);
  await dying.kill();
  expect(await callbackOf(id)).toMatchObject({ status: "pending", tries: 1 });
  await start();
  await advanceClock(db, "301 s");
  await expect.poll(() => callbackOf(id)).toMatchObject({ status: "done", tries: 2 });
  const [first, second] = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(second).toBe(first);
});

test("a job that ends while no broker lives, and whose task is lost, ends its signal once one does", async () => {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const queue = await givenQueue(db, { orgId: runner.orgId });
  const contents = { runner_id: runner.runnerId, type: "noop-deploy" };
  const dying = await start();
  const id = await givenTurn(db, seals, { queue, type: "runner-job", contents });
  await expect
    .poll(async () => (await db`select awaits_job from queue_signal_live where id = ${id}`)[0])
    .toMatchObject({ awaits_job: expect.stringMatching(/^job_/) as string });
  await dying.kill();
  const [claimed] = await claim(db, runner, { processId });
  const executionId = claimed?.executionId ?? "";
  await report(db, runner, { executionId, status: "in-progress" });
  await report(db, runner, { executionId, status: "finished", result: { success: true } });
  expect(await signalStatus(db, id)).toBe("in-flight");
  const lost = await db`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = 'end-signal-of-job' returning 1`;
  expect(lost).toHaveLength(1);
  await start();
  await expect.poll(() => signalStatus(db, id)).toBe("finished");
  expect(await endOfSignal(db, seals, id)).toMatchObject({
    executions: 1,
    result: { job_id: claimed?.jobId, status: "finished" },
  });
  await expectSoundSignals(db);
});
