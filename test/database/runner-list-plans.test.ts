import { expect, test } from "vitest";
import { findRunner, listRunners } from "../../broker/runners/queries.ts";
import { testDatabase } from "../support/database/database.ts";
import { explaining, readsOf } from "../support/database/explain.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const many = 3_000;

test("a page of runners looks up what it shows of each, and reads no others", async () => {
  const given = await givenRunner(db);
  const processId = await givenProcess(db, given);
  const runnerId = db`'run_' || lpad(n::text, 26, '0')`;
  await db`
    insert into runners
    select (jsonb_populate_record(u, jsonb_build_object('id', ${runnerId}, 'name', 'r' || n))).*
      from runners u cross join generate_series(1, ${many}) n where u.id = ${given.runnerId}`;
  await db`
    insert into runner_processes
    select (jsonb_populate_record(p, jsonb_build_object('id', 'prc_' || lpad(n::text, 26, '0'), 'runner_id', ${runnerId}))).*
      from runner_processes p cross join generate_series(1, ${many}) n where p.id = ${processId}`;
  await db`update runner_processes set draining = 'restart' where id = 'prc_' || lpad(${String(many)}::text, 26, '0')`;
  await db`update runner_groups set name = 'north' where id = ${given.groupId}`;
  await db`vacuum analyze`;
  const on = await explaining(database, { isMeasured: true });
  for (let asked = 0; asked < 8; asked += 1) {
    on.take();
    const page = { filters: {}, after: undefined, limit: 51, offset: 0 };
    const rows = await listRunners(on.db, given.orgId, page);
    expect(rows).toHaveLength(51);
    expect(rows.map(({ restart_requested: isAsked }) => isAsked)).toEqual(
      rows.map(({ id }) => id.endsWith(String(many))),
    );
    expect(new Set(rows.map(({ runner_group_name: name }) => name))).toEqual(new Set(["north"]));
    await findRunner(on.db, given.orgId, given.runnerId);
    const reads = on.take().flatMap(({ Plan }) => readsOf(Plan));
    expect(reads.filter(({ rows: met }) => met > 100)).toEqual([]);
  }
  await on.end();
});
