import { expect, test } from "vitest";
import { findSignalFigures } from "../../../broker/database-metrics/queries.ts";
import { metricsSetup, readMetrics } from "../../support/broker/metrics.ts";
import { testDatabase } from "../../support/database/database.ts";
import { explaining, readsOf } from "../../support/database/explain.ts";
import { givenManyQueues, givenManySignals } from "../../support/queues/many-signals.ts";
import { givenOrg } from "../../support/rows/given.ts";

test("the figures of ten thousand queues are read from their counters and the front of each line, not from their signals", async () => {
  const database = await testDatabase();
  const { db } = database;
  const orgId = await givenOrg(db);
  const queues = await givenManyQueues(db, orgId, 10_000);
  await givenManySignals(db, queues.slice(0, 1_000), { queued: 20, retrying: 5, dead: 5 });
  await db`vacuum analyze queue_counters, queue_signal_live`;
  const on = await explaining(database, { isMeasured: true });
  on.take();
  expect(await findSignalFigures(on.db)).toMatchObject({ queued: 20_000, retrying: 5_000 });
  const reads = on.take().flatMap(({ Plan }) => readsOf(Plan));
  await on.end();
  const rowsOf = (table: string): number =>
    reads.filter(({ of }) => of.endsWith(` ${table}`)).reduce((sum, { rows }) => sum + rows, 0);
  expect(rowsOf("queue_counters")).toBe(10_000);
  expect(rowsOf("queue_signal_live")).toBe(1_000); // queues in which nothing waits are not looked into
});

test("there is one figure for all queues: with a thousand more of them /metrics has no line more, and names none", async () => {
  const { db, broker, metrics } = await metricsSetup();
  const before = [...(await metrics()).keys()];
  const orgId = await givenOrg(db);
  const queues = await givenManyQueues(db, orgId, 1_000);
  await givenManySignals(db, queues, { queued: 2, dead: 1 });
  const after = [...(await readMetrics(broker)).keys()];
  expect(after.filter((name) => name.includes("svc_queue"))).toEqual(
    before.filter((name) => name.includes("svc_queue")),
  );
  expect(after.filter((name) => /(?:que|sig|org)_\w{26}/.test(name))).toEqual([]);
});
