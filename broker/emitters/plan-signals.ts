import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { Log } from "../log.ts";
import type { Seals } from "../seals/seals.ts";
import type { Wakes } from "../wake/wakes.ts";
import type { DueRow } from "./find-due.ts";
import { planTicks, type TickPlan } from "./plan-ticks.ts";
import { openTemplate } from "./sealed-template.ts";

export type EmittingParts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly wakes: Wakes;
  readonly log: Log;
  /** Hears how late each signal was enqueued, in seconds. */
  readonly onEmitted?: (lateS: number) => void;
};

/** What an emitter emits now, and the signals that it enqueues for that. */
export type Planned = {
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

/** Its oldest ticks that there is room for, at least one. One whose template does not open, or whose schedule cannot be read, is set aside. */
export async function planSignals(
  parts: EmittingParts,
  row: DueRow,
  room: number,
): Promise<Planned | undefined> {
  try {
    const plan = planTicks(row, row.now);
    const template = plan.ticks.length === 0 ? undefined : openTemplate(parts.seals, row);
    const signals = plan.ticks.map(({ at }) => sealSignal(parts.seals, row, { at, template }));
    return fitted({ row, plan, signals }, room);
  } catch (error) {
    await setAside(parts, row, error);
    return undefined;
  }
}

/** The tick of the first signal that is left is then the next one. */
function fitted({ row, plan, signals }: Planned, room: number): Planned {
  let bytes = 0;
  const most = signals.findIndex(({ contents }, at) => (bytes += contents.length) > room && at > 0);
  const left = most < 0 ? undefined : plan.ticks[most];
  if (left === undefined) return { row, plan, signals };
  return {
    row,
    plan: { ...plan, nextTickAt: left.at, nextEmitAt: left.emitAt },
    signals: signals.slice(0, most),
  };
}

function sealSignal(
  seals: Seals,
  { id: emitterId, org_id: orgId }: DueRow,
  { at, template = Buffer.from("{}") }: { at: Date; template: Buffer | undefined },
): Signal {
  const id = newId("sig");
  const { keyId, bytes } = seals.seal({ orgId, id, part: "signal" }, template);
  const contents = bytes.toString("base64");
  return { emitter_id: emitterId, id, scheduled_for: at, key_id: keyId, contents };
}

/** Leaves an emitter that cannot emit for a minute, and says so in its status. */
export async function setAside(
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
