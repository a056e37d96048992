import { afterAll, describe, expect, test } from "vitest";
import { connect } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { makeBeats } from "../../../broker/processes/beat-processes.ts";
import { makeWakes } from "../../../broker/wake/wakes.ts";
import { testDatabase } from "../../support/database/database.ts";
import { directHotPath } from "../../support/database/direct-hot-path.ts";
import {
  claim,
  type GivenExecution,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const { url, db } = await testDatabase();

/** Two brokers' ways to beat, over pools of their own. */
const pools = [connect(url, { max: 5 }), connect(url, { max: 5 })];
afterAll(async () => void (await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })))));
const brokers = pools.map((pool) =>
  makeBeats(
    directHotPath(pool),
    makeWakes(() => {}),
  ),
);

async function setup() {
  const runner = await givenRunner(db, { parallelism: { deploy: 4, sync: 4 } });
  const serves = { deploy: 4, sync: 4 };
  const processId = await givenProcess(db, runner, { serves });
  await givenJobs(db, runner, [{}, {}, { type: "oci-sync" }, { type: "oci-sync" }, {}]);
  const held: GivenExecution[] = [
    ...(await claim(db, runner, { processId, want: 2 })),
    ...(await claim(db, runner, { processId, want: 2, group: "sync" })),
  ];
  return { ...runner, processId, held };
}

describe("beats at the same time as everything else", () => {
  test("end in no deadlock, and leave no slot in use that nobody holds", async () => {
    const all = await Promise.all(Array.from({ length: 16 }, setup));
    const reversed = all.toReversed();
    const said = { aliveTime: 1e9, version: "1" };
    const works: (() => Promise<unknown>)[] = [];
    for (let round = 0; round < 6; round++) {
      for (const [at, given] of all.entries()) {
        const executions = round < 2 ? given.held.map(({ executionId }) => executionId) : [];
        const other = reversed[at] ?? given;
        works.push(
          async () => brokers[0]?.({ ...given, ...said, executions }),
          async () => brokers[1]?.({ ...other, ...said }),
          async () => brokers[1]?.(given),
          async () => db`select sweep_processes(100), sweep_stopping(100), sweep_queues(100)`,
          async () => claim(db, given, { processId: given.processId, want: 2 }),
        );
        const one = given.held[round % given.held.length];
        if (one === undefined) continue;
        const status = round < 1 ? "in-progress" : "failed";
        works.push(
          async () => report(db, given, { executionId: one.executionId, status, result: {} }),
          async () =>
            db`select count(*) from end_jobs(${given.orgId}, ${[one.jobId]}, 'cancel', '')`,
        );
        if (round === 4 && at % 4 === 0) {
          works.push(
            async () =>
              db`select * from request_shutdowns(${[given.processId]}, ${[newId("shd")]}, 'force', '0 s', '')`,
            async () => db`select sweep_shutdowns(100)`,
          );
        }
        if (round === 5 && at % 4 === 1) {
          works.push(async () => db`select process_goes_down(${given.processId}, 'shut-down', '')`);
        }
      }
    }
    const settled = await Promise.allSettled(works.map((work) => work()));
    const failed = settled.flatMap((one) =>
      one.status === "rejected" ? [String(one.reason)] : [],
    );
    expect(failed).toEqual([]);

    const wrong = await db`
      select q.runner_id, q.job_group, q.in_use, q.waiting, l.slots, l.waiting as really_waiting
        from runner_queues q
       cross join lateral (
         select count(*) filter (where l.has_slot)
                + (select count(*) from stopping_executions s
                    where s.runner_id = q.runner_id and s.job_group = q.job_group and s.holds_slot) as slots,
                count(*) filter (where not l.has_slot) as waiting
           from runner_job_live l where l.runner_id = q.runner_id and l.job_group = q.job_group) l
       where (q.in_use, q.waiting) <> (l.slots, l.waiting)`;
    expect(wrong).toEqual([]);
  });
});
