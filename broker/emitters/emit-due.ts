import type { Db } from "../database/connect.ts";
import { isRefusal } from "../database/database-errors.ts";
import { newId } from "../database/new-id.ts";
import type { Log } from "../log.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { planTicks, type TickPlan } from "./plan-ticks.ts";
import { emitterRow, type EmitterWithTemplate } from "./row.ts";
import { openTemplate } from "./template.ts";

export type EmittingParts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly wakes: Wakes;
  readonly log: Log;
  /** Hears how late each signal was enqueued, in seconds. */
  readonly onEmitted?: (lateS: number) => void;
};

/** What one look found, and how many of these it was the one to act on. */
export type Look = { readonly found: number; readonly settled: number };

type DueRow = EmitterWithTemplate & { readonly now: Date };
type Planned = {
  readonly row: DueRow;
  readonly plan: TickPlan;
  readonly signals: readonly Signal[];
};
type Signal = {
  readonly emitter_id: string;
  readonly id: string;
  readonly scheduled_for: Date;
  readonly key_id: string | null;
  readonly contents: string;
};
type SettledRow = {
  readonly id: string | null;
  readonly outcome: string;
  readonly emitted: number;
  readonly emitted_at: Date;
  readonly wake: string | null;
};

const mostEmitters = 500;
/** Of the templates that one look reads, and of the signals that it enqueues. */
const mostBytes = 8 * 1024 * 1024;

/** Acts once on emitters that are due: at most 500, or on those of `ids`. Any number of brokers may do so at once. */
export async function emitDue(parts: EmittingParts, ids?: readonly string[]): Promise<Look> {
  const rows = await findDue(parts.db, ids);
  const planned: Planned[] = [];
  let bytes = 0;
  for (const row of rows) {
    const one = await planOne(parts, row, mostBytes - bytes);
    if (one === undefined) continue;
    planned.push(one);
    bytes += one.signals.reduce((sum, { contents }) => sum + contents.length, 0);
    if (bytes >= mostBytes) break;
  }
  return { found: rows.length, settled: await settle(parts, planned) };
}

/** The index of due instants is asked for the first of them: one that is idle is one look-up. */
async function findDue(db: Db, ids: readonly string[] | undefined): Promise<DueRow[]> {
  return db<DueRow[]>`
    select ${db(Object.keys(emitterRow.shape).map((name) => `d.${name}`))}, d.contents, d.now
      from (select e.*, sum(octet_length(e.contents)) over placed as bytes, row_number() over placed as place
              from (select e.*, t.now from (select svc_now() as now) t
                     cross join lateral (select * from queue_emitters e
                                          where e.due_at <= t.now ${ids === undefined ? db`` : db`and e.id = any(${[...ids]})`}
                                          order by e.due_at limit ${mostEmitters}) e) e
            window placed as (order by e.due_at, e.id)) d
     where d.bytes <= ${mostBytes} or d.place = 1
     order by d.place`;
}

/** What an emitter emits now. One whose template does not open, or whose schedule is not read any more, is tried again in a minute. */
async function planOne(
  parts: EmittingParts,
  row: DueRow,
  room: number,
): Promise<Planned | undefined> {
  try {
    const plan = planTicks(row, row.now);
    const template = plan.ticks.length === 0 ? undefined : openTemplate(parts.seals, row);
    const signals = plan.ticks.map((tick) => sealSignal(parts.seals, row, { tick, template }));
    return fitted({ row, plan, signals }, room);
  } catch (error) {
    await setAside(parts, row, error);
    return undefined;
  }
}

/** The oldest signals that there is room for, at least one; the tick of the first that is left is then the next one. */
function fitted({ row, plan, signals }: Planned, room: number): Planned {
  let bytes = 0;
  const most = signals.findIndex(({ contents }, at) => (bytes += contents.length) > room && at > 0);
  const left = most < 0 ? undefined : plan.ticks[most];
  if (left === undefined) return { row, plan, signals };
  return {
    row,
    plan: { ...plan, nextTickAt: left, nextEmitAt: new Date(left.getTime() + lagOf(plan)) },
    signals: signals.slice(0, most),
  };
}

const lagOf = ({ nextTickAt, nextEmitAt }: TickPlan): number =>
  (nextEmitAt?.getTime() ?? 0) - (nextTickAt?.getTime() ?? 0);

function sealSignal(
  seals: Seals,
  { id: emitterId, org_id: orgId }: DueRow,
  { tick, template = Buffer.from("{}") }: { tick: Date; template: Buffer | undefined },
): Signal {
  const id = newId("sig");
  const { keyId, bytes } = seals.seal({ orgId, id, part: "signal" }, template);
  const contents = bytes.toString("base64");
  return { emitter_id: emitterId, id, scheduled_for: tick, key_id: keyId, contents };
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
  for (const { row, signals: own } of planned) {
    const { emitted = 0, emitted_at: at = row.now } = byId.get(row.id) ?? {};
    const jitter = (row.next_emit_at?.getTime() ?? 0) - (row.next_tick_at?.getTime() ?? 0);
    for (const { scheduled_for: tick } of own.slice(0, emitted))
      onEmitted?.((at.getTime() - tick.getTime() - jitter) / 1000);
  }
  return rows.filter(({ id, outcome }) => id !== null && outcome !== "lost").length;
}

async function setAside(
  { db, log }: EmittingParts,
  { id, org_id, version }: DueRow,
  error: unknown,
): Promise<void> {
  log.error({ err: error, emitter: id }, "an emitter cannot emit; it is tried again in a minute");
  await db`
    update queue_emitters
       set due_at = svc_now() + interval '1 minute', status_description = 'it cannot emit; it is tried again every minute'
     where org_id = ${org_id} and id = ${id} and version = ${version} and due_at <= svc_now()`;
}
