import { expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { newId } from "../../broker/database/new-id.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { explaining, relationsOf, walksOf } from "../support/database/explain.ts";
import { givenEmitter } from "../support/queues/given-emitters.ts";
import {
  aSignal,
  claimSignals,
  fileSignals,
  givenQueue,
  reportSignal,
} from "../support/queues/given-signals.ts";
import { givenJob, givenRunner } from "../support/rows/given.ts";

const database = await testDatabase();

/** Each half a minute it goes through those that wait for jobs, and jobs with signals: both have an index of their own. */
const ofSweep = /^(?:Bitmap )?Index Scan on (?:queue_signal_live_awaits|runner_job_live):/;

/** Brokers plan these while their tables are new and empty, and keep the plans. */
test("of the turns of signals that brokers execute, no statement walks a table or an index", async () => {
  const { db, take, end } = await explaining(database);
  take();
  try {
    await liveAsTurns(db, database.db);
  } finally {
    await end();
  }
  const statements = take();
  const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
    walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
  );
  expect(walks.filter((walk) => !ofSweep.test(walk))).toEqual([]);
  const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
  const tables = ["queue_signal_live", "queue_signal_callbacks", "turn_backlog", "queue_emitters"];
  expect([...seen]).toEqual(expect.arrayContaining(tables));
});

/** Turns that begin, wait for a job, are put off and taken up, end with callbacks, die and are redriven; an emitter that fires. */
async function liveAsTurns(db: Db, setUp: Db): Promise<void> {
  const queue = await givenQueue(setUp, { maxInFlight: 10 });
  const [org, id] = [queue.orgId as string, queue.queueId];
  const runs = { type: "noop", runs: "task", task: "run-signal" };
  const call = { n: 1, kind: "http-call", statuses: ["finished", "dead"], next_id: newId("sig") };
  const callbacks = [{ ...call, contents: "e30=" }];
  await fileSignals(db, [
    aSignal(queue, { ...runs, callbacks }),
    aSignal(queue, { request: 2, ...runs }),
    aSignal(queue, { request: 3, runs: "hold", task: "mine" }),
    aSignal(queue, { request: 4, max_executions: 1, callbacks }),
  ]);
  const turns = await setUp<{ id: string; lease_id: string }[]>`
    select id, lease_id from queue_signal_live where queue_id = ${id} and runs = 'task' order by place`;
  const [first, second] = turns;
  if (first === undefined || second === undefined) throw new Error("there are no turns");
  await db`select put_off_turns(${[second.id]}::text[], ${[second.lease_id]}::text[])`;
  await db`select * from backlog_lines('', '', 10)`;
  await db`select * from take_backlog(${org}, 'noop', 10)`;
  await db`select * from begin_turn(${org}, ${first.id}, ${first.lease_id}, 'mine', 'b')`;
  const runner = await givenRunner(setUp, { orgId: queue.orgId });
  const job = await givenJob(setUp, runner);
  await setUp`update runner_job_live set signal_id = ${first.id} where id = ${job}`;
  await db`select * from await_job(${org}, ${first.id}, 'mine', ${job})`;
  await db`select end_signals_of_jobs(${[job]}::text[])`;
  await db`select sweep_awaited_jobs(100)`;
  await db`select * from cancel_signals(${org}, ${[first.id]}::text[], 'why')`;
  const [dying] = await claimSignals(db, queue);
  if (dying === undefined) throw new Error("nothing was claimed");
  await reportSignal(db, queue, dying, "fail");
  await db`select * from begin_callback(${org}, ${dying.id}, 1, 0)`;
  await db`select settle_callback(${org}, ${dying.id}, 1, 1, null, '', 1)`;
  await advanceClock(setUp, "10 minutes");
  await db`select sweep_callbacks(100)`;
  await db`select put_off_callbacks(${[dying.id]}::text[], ${[1]}::int[], ${[1]}::int[], array[false])`;
  await db`select * from take_backlog(${org}, 'callback', 10)`;
  await db`select * from redrive_signals(${org}, ${id}, ${[dying.id]}::text[], 10)`;
  const emitter = await givenEmitter(setUp, queue, { dedupe_key: "k" });
  const signal = JSON.stringify({ id: newId("sig"), contents: "e30=" });
  await db`select * from fire_emitter(${org}, ${emitter}, 1, ${signal}::text::json, 'acc_1')`;
  await db`select sweep_signals(500)`;
}
