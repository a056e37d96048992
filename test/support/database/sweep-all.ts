import { type SweepName, sweep, sweepNames } from "../../../broker/clocks/sweep.ts";
import type { Db } from "../../../broker/database/connect.ts";
import { openLog } from "../../../broker/log.ts";
import { makeWakes } from "../../../broker/wake/wakes.ts";
import { beat } from "../rows/given.ts";
import { advanceClock } from "./clock.ts";

/** Acts once on all that is due, one clock after another, as any broker does; answers how many rows that were. */
export async function sweepAll(
  db: Db,
  names: readonly SweepName[] = sweepNames,
  log = openLog("silent"),
): Promise<number> {
  const parts = { db, wakes: makeWakes(() => {}), log };
  let total = 0;
  for (const name of names) total += await sweep(parts, name);
  return total;
}

/** Lets time pass while these processes go on beating, and then acts on all that is due. */
export async function passTime(db: Db, interval: string, alive: string[] = []): Promise<void> {
  await advanceClock(db, interval);
  if (alive.length > 0) await beat(db, alive);
  await sweepAll(db);
}

/** Lets time pass in which no broker ran, and acts on nothing. */
export async function passTimeUnheard(db: Db, interval: string): Promise<void> {
  await advanceClock(db, interval);
  await db`update broker_listening set marked_at = svc_now() - ${interval}::interval`;
}
