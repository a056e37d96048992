import { expect, test } from "vitest";
import { openLog } from "../../../broker/log.ts";
import { secondNs } from "../../../shared/duration.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { sweepAll } from "../../support/database/sweep-all.ts";
import { givenJobs, givenRunner } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const { db } = await testDatabase();

const overall = { overallTimeout: 60 * secondNs };

test("a row that the database refuses to end is set aside, and all others that are due end", async () => {
  const runner = await givenRunner(db);
  const ids = await givenJobs(
    db,
    runner,
    Array.from({ length: 20 }, () => overall),
  );
  const [first = "", , third = ""] = ids;
  // Nothing of ours leaves such a thing behind: an end, and a live row that is to end once more.
  for (const id of [first, third]) {
    await db`insert into runner_job_ends (runner_job_id, org_id, status, execution_count, created_at, finished_at)
             values (${id}, ${runner.orgId}, 'finished', 0, svc_now(), svc_now())`;
  }
  await advanceClock(db, "61 s");
  const lines: string[] = [];
  const log = openLog("error", { write: (line) => lines.push(line) });
  await sweepAll(db, ["sweep_jobs"], log);
  const others = await Promise.all(
    ids.filter((id) => id !== first && id !== third).map((id) => jobState(db, id)),
  );
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
  const said = lines.map((line) => JSON.parse(line) as { clock: string; id: string });
  expect(said.map(({ id }) => id).toSorted()).toEqual([first, third].toSorted());
  const waiting = await db`select id from runner_job_live where deadline_at > svc_now()`;
  expect(waiting).toHaveLength(2);
  await advanceClock(db, "61 s");
  await sweepAll(db, ["sweep_jobs"], log);
  expect(lines).toHaveLength(4); // looked at again, and in vain again
});
