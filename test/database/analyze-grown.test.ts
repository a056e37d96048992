import { expect, test } from "vitest";
import { analyzeGrown } from "../../broker/database/analyze-grown.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenRunner } from "../support/rows/given.ts";
import { givenEvents } from "../support/webhooks/given-events.ts";

test("a table that has grown twofold is counted, once, and others are not", async () => {
  const { db } = await testDatabase();
  await db`alter table events set (autovacuum_enabled = off)`; // Postgres' own daemon counts tables, too
  const { orgId } = await givenRunner(db);
  let all = 0;
  const grow = async (rows: number): Promise<void> => {
    all += rows;
    await givenEvents(
      db,
      Array.from({ length: rows }, (_, n) => ({ orgId, workflowId: `wfl_${n}` })),
    );
    await expect.poll(() => liveRows()).toBeGreaterThanOrEqual(all);
  };
  const liveRows = async (): Promise<number> => {
    const [row] = await db<{ rows: number }[]>`
      select pg_stat_get_live_tuples('events'::regclass)::int as rows from pg_stat_force_next_flush()`;
    return row?.rows ?? 0;
  };
  expect(await analyzeGrown(db)).not.toContain("events");
  await grow(150);
  expect(await analyzeGrown(db)).toContain("events");
  expect(await analyzeGrown(db)).toEqual([]);
  await grow(100);
  expect(await analyzeGrown(db)).not.toContain("events");
  await grow(200);
  expect(await analyzeGrown(db)).toContain("events");
});
