import { isRefusal } from "../database/database-errors.ts";
import { topics } from "../wake/wakes.ts";
import { type DueId, listDue, readDue } from "./find-due.ts";
import { type EmittingParts, type Planned, planSignals, setAside } from "./plan-signals.ts";

/** What one look found, and how many of these it was the one to act on. */
export type Look = { readonly found: number; readonly settled: number };

type SettledRow = {
  readonly id: string | null;
  readonly outcome: string;
  readonly emitted: number;
  readonly emitted_at: Date;
  readonly wake: string | null;
};

/** A look lists so many at most; what comes due meanwhile waits for the next one. */
export const mostOfLook = 2_000;
/** Postgres emits for one lane while this process plans for the other. A queue is in one lane, so they wait for none of each other's locks. */
const laneCount = 2;
const mostOfStatement = 250;
/** Of the templates that are read for one statement, and of the signals that it enqueues. Each lane has two of these at most. */
const mostBytes = 4 * 1024 * 1024;

/** Acts once on emitters that are due: at most 2,000, or on those of `ids`. Any number of brokers may do so at once. */
export async function emitDue(parts: EmittingParts, ids?: readonly string[]): Promise<Look> {
  const due = ids?.map((id) => ({ id, queue_id: "" })) ?? (await listDue(parts.db, mostOfLook));
  const settled = await Promise.all(lanesOf(due).map((lane) => emitLane(parts, lane)));
  return { found: due.length, settled: settled.reduce((sum, one) => sum + one, 0) };
}

/** Each in the order of the list, so the first statements carry the first turns. */
function lanesOf(due: readonly DueId[]): string[][] {
  const lanes = Array.from({ length: laneCount }, (): string[] => []);
  const laneOfQueue = new Map<string, string[]>();
  for (const { id, queue_id } of due) {
    const lane = laneOfQueue.get(queue_id) ?? lanes[laneOfQueue.size % laneCount] ?? [];
    laneOfQueue.set(queue_id, lane);
    lane.push(id);
  }
  return lanes;
}

/** Reads and plans for the next statement while Postgres works on the one before. */
async function emitLane(parts: EmittingParts, ids: readonly string[]): Promise<number> {
  let settled = 0;
  let planned = await planSome(parts, ids.slice(0, mostOfStatement));
  for (let at = mostOfStatement; planned.length > 0 || at < ids.length; at += mostOfStatement) {
    const [count, following] = await Promise.all([
      settle(parts, planned),
      planSome(parts, ids.slice(at, at + mostOfStatement)),
    ]);
    settled += count;
    planned = following;
  }
  return settled;
}

async function planSome(parts: EmittingParts, ids: readonly string[]): Promise<Planned[]> {
  if (ids.length === 0) return [];
  const planned: Planned[] = [];
  let bytes = 0;
  for (const row of await readDue(parts.db, ids, mostBytes)) {
    const one = await planSignals(parts, row, mostBytes - bytes);
    if (one === undefined) continue;
    planned.push(one);
    bytes += one.signals.reduce((sum, { contents }) => sum + contents.length, 0);
    if (bytes >= mostBytes) break;
  }
  return planned;
}

/** What the database refuses is tried in halves, and the emitter at fault is left for a minute, so that all others go on. */
async function settle(parts: EmittingParts, planned: readonly Planned[]): Promise<number> {
  const [first] = planned;
  if (first === undefined) return 0;
  try {
    return await emitTicks(parts, planned);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (planned.length === 1) {
      await setAside(parts, first.row, error);
      return 0;
    }
    const half = Math.ceil(planned.length / 2);
    return (
      (await settle(parts, planned.slice(0, half))) + (await settle(parts, planned.slice(half)))
    );
  }
}

async function emitTicks(
  { db, wakes, onEmitted }: EmittingParts,
  planned: readonly Planned[],
): Promise<number> {
  const ticks = planned.map(({ row, plan }) => ({
    id: row.id,
    org_id: row.org_id,
    queue_id: row.queue_id,
    version: row.version,
    tick_at: row.next_tick_at,
    skipped: plan.skipped,
    next_tick_at: plan.nextTickAt,
    next_emit_at: plan.nextEmitAt,
  }));
  const signals = planned.flatMap((one) => one.signals);
  const rows = await db<SettledRow[]>`
    select (r.settled).*, r.wake
      from emit_ticks(${JSON.stringify(ticks)}::text::json, ${JSON.stringify(signals)}::text::json) r`;
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { row, plan } of planned) {
    const { emitted = 0, emitted_at: at = row.now } = byId.get(row.id) ?? {};
    for (const { emitAt } of plan.ticks.slice(0, emitted))
      onEmitted?.((at.getTime() - emitAt.getTime()) / 1000);
  }
  return rows.filter(({ id, outcome }) => id !== null && outcome !== "lost").length;
}
