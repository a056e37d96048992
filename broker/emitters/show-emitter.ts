import type { Emitter, EmitterTicks } from "../../shared/api/emitter.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listStatusHistories } from "../status/queries.ts";
import type { Actor } from "../tokens/actor.ts";
import { localTime } from "./local-time.ts";
import { firstTick, isFormer, type PlannedTick } from "./plan-ticks.ts";
import { type EmitterFilter, findEmitter, findNow, listEmitters } from "./queries.ts";
import { jitterMs } from "./read-schedule.ts";
import type { EmitterRow } from "./row.ts";
import { readableSchedule, scheduleOf } from "./schedule-of.ts";
import { readTemplate } from "./sealed-template.ts";
import { nextTicks } from "./ticks.ts";
import { describeSchedule, toEmitter } from "./to-emitter.ts";

type Parts = Pick<Broker, "db" | "seals">;

/** One emitter with its template, for those who may see data of signals; 404 when there is none. */
export async function showEmitter(
  { db, seals }: Parts,
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
  { id, withData = true }: { readonly id: string; readonly withData?: boolean },
): Promise<Emitter> {
  const row = await findEmitter(db, orgId, id);
  if (row === undefined) throw problem.notFound("emitter");
  const histories = await listStatusHistories(db, orgId, [id]);
  const isShown = withData && permissions.has("signals.data");
  const template = isShown ? readTemplate(seals, row) : null;
  return toEmitter(row, { history: histories.get(id), template });
}

/** The newest emitters of a queue, without their templates. */
export async function showQueueEmitters(
  db: Broker["db"],
  org: OrgId,
  queueId: string,
): Promise<Emitter[]> {
  const filter: EmitterFilter = { queue_id: queueId };
  const rows = await listEmitters(db, org, { filter, after: undefined, limit: 100, offset: 0 });
  return rows.map((row) => toEmitter(row));
}

/** The ticks of an emitter after now, or after what it waits for. */
export async function showTicks(
  db: Broker["db"],
  org: OrgId,
  { id, n }: { readonly id: string; readonly n: number },
): Promise<EmitterTicks> {
  const row = await findEmitter(db, org, id);
  if (row === undefined) throw problem.notFound("emitter");
  const isReadable = row.mode !== "cron" || readableSchedule(row) !== undefined;
  const hasTicks = isReadable && row.status !== "done";
  const ticks = hasTicks ? ticksOf(row, await findNow(db), n) : [];
  return {
    description: describeSchedule(row),
    time_zone: row.time_zone,
    ticks: ticks.map(({ at, emitAt }) => ({
      scheduled_for: at.toISOString(),
      local: localTime(row.time_zone, at),
      emit_at: emitAt.toISOString(),
    })),
  };
}

/** A tick that is due and not emitted yet is still one of the next. */
function ticksOf(row: EmitterRow, now: Date, n: number): PlannedTick[] {
  const { next_tick_at: next, next_emit_at: emitAt, scheduled_at: only, mode } = row;
  if (mode !== "cron")
    return only !== null && (next !== null || only > now) ? [{ at: only, emitAt: only }] : [];
  const { cron, zone } = scheduleOf(row);
  const late = jitterMs(row.id, row.jitter_window);
  const former = isFormer(row) && next !== null && emitAt !== null ? [{ at: next, emitAt }] : [];
  const isPlanned = next !== null && former.length === 0;
  const first = isPlanned ? next : firstTick(row.status === "paused" ? resumedNow(row, now) : row);
  const from = first === undefined ? [] : nextTicks(cron, zone, new Date(first.getTime() - 1), n);
  const own = from.map((at) => ({ at, emitAt: new Date(at.getTime() + late) }));
  return [...former, ...own].slice(0, n);
}

const resumedNow = (row: EmitterRow, now: Date): EmitterRow => ({ ...row, paused_until: now });
