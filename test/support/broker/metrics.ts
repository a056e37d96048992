import { vi } from "vitest";
import { tallyJobEnds } from "../../../broker/database-metrics/tally-job-ends.ts";
import type { Db } from "../../../broker/database/connect.ts";
import { testDatabase } from "../database/database.ts";
import { waitLimitMs } from "../run/hang-limits.ts";
import { startBroker, type TestBroker } from "./broker.ts";

/** A broker of its own over an empty database, and how to read what its /metrics say after a fresh look. */
export async function metricsSetup() {
  const { url, db } = await testDatabase();
  const broker = await startBroker({ url });
  return { db, broker, metrics: () => readMetrics(broker) };
}

/** Every sample of a broker by its whole name, labels included, after a fresh look at the database. */
export async function readMetrics(broker: TestBroker): Promise<Map<string, number>> {
  await tallyAll(broker.broker.db);
  // Its statements have two seconds each, which a machine that does much else may take.
  await vi.waitFor(() => broker.broker.databaseMetrics.refresh(), { timeout: waitLimitMs });
  const text = broker.broker.metrics.text(); // the answer of /metrics may be an older one
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map(toSample));
}

/** Tallies until all that has ended is; transactions of other tests' databases hold it back, too. */
export async function tallyAll(db: Db): Promise<number> {
  const [present] = await db<{ tx: string }[]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as tx`;
  let total = 0;
  const isTallied = async (): Promise<boolean> => {
    total += await tallyJobEnds(db);
    const [mark] = await db<{ passed: boolean }[]>`
      select tx >= ${present?.tx ?? ""}::xid8 as passed from runner_job_tally_mark`;
    return mark?.passed === true;
  };
  await vi.waitUntil(isTallied, { timeout: waitLimitMs });
  return total;
}

function toSample(line: string): [string, number] {
  const at = line.lastIndexOf(" ");
  return [line.slice(0, at), Number(line.slice(at + 1))];
}
