import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { expectSoundQueues } from "../database/expect-sound-queues.ts";
import type { Load } from "./start-load.ts";

type EndRow = { status: string | null; enqueues: number; finishes: number; stored: number };

/** Every job that was taken in was begun by one execution, ended finished, once, with one result; and none is extra. */
export async function expectEndedOnce(db: Db, runnerId: string, load: Load): Promise<void> {
  const rows = await db<(EndRow & { id: string })[]>`
    select j.id, d.status,
           (select count(*) from runner_job_events e where e.runner_job_id = j.id and e.event = 'enqueue') as enqueues,
           (select count(*) from runner_job_events e where e.runner_job_id = j.id and e.event = 'finish') as finishes,
           (select count(*) from runner_job_executions e
              join runner_job_execution_results r on r.execution_id = e.id
             where e.runner_job_id = j.id) as stored
      from runner_jobs j left join runner_job_ends d on d.runner_job_id = j.id
     where j.runner_id = ${runnerId}`;
  const end: EndRow = { status: "finished", enqueues: 1, finishes: 1, stored: 1 };
  expect([...rows]).toEqual(rows.map(({ id }) => ({ id, ...end })));
  expect(new Set(rows.map(({ id }) => id))).toEqual(load.acknowledged);
  const twice = [...load.begun].filter(([, executions]) => executions.size !== 1);
  expect(twice).toEqual([]);
  expect(load.finished).toEqual(load.acknowledged);
  await expectSoundQueues(db);
}
