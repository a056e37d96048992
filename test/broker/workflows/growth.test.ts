import { expect, test } from "vitest";
import { analyzeGrown } from "../../../broker/database/analyze-grown.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

/** Postgres' own daemon counts tables when it comes by, and the plans of loops that read young ones change then: here it does not. */
async function keepDaemonOut(): Promise<void> {
  await db`
    do $$ declare
      young regclass;
    begin
      for young in select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = off)', young);
      end loop;
    end $$`;
}

/** How many rows each table has read until there were so many workflows: connections tell of it once a second, and when they are idle. */
async function readRows(workflows: number): Promise<Map<string, number>> {
  await until(async () => {
    const [told] = await db<{ all: boolean }[]>`
      select pg_stat_get_tuples_inserted('workflows'::regclass) >= ${workflows} as all
        from pg_stat_force_next_flush()`;
    return told?.all === true;
  });
  const rows = await db<{ name: string; rows: number }[]>`
    select relname as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_user_tables
     where schemaname = current_schema()`;
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

/** What loops read meanwhile, and what connections tell late, only adds to a count: the least of several is nearest to the truth. */
const leastOf = (counts: readonly Map<string, number>[]): Map<string, number> =>
  new Map(
    [...(counts[0] ?? [])].map(([name]) => [
      name,
      Math.min(...counts.map((count) => count.get(name) ?? 0)),
    ]),
  );

test("what a workflow reads does not grow with those before it", async () => {
  await keepDaemonOut();
  const org = await setup();
  const { installId } = await givenInstall(org);
  let made = 1;
  const each = async (count: number): Promise<Map<string, number>> => {
    const before = await readRows(made);
    for (let n = 0; n < count; n++, made++) {
      const { body } = await org.run(installId, "greet");
      await org.reach(body.workflow_id, "success");
    }
    const after = await readRows(made);
    return new Map([...after].map(([name, n]) => [name, (n - (before.get(name) ?? 0)) / count]));
  };
  const early = await each(10);
  await each(35);
  await analyzeGrown(db);
  const late = leastOf([await each(5), await each(5), await each(5)]);
  const grown = [...late].filter(([name, rows]) => rows > 2 * (early.get(name) ?? 0) + 40);
  expect(late.get("workflow_steps")).toBeGreaterThan(1);
  expect(grown).toEqual([]);
});
