import type { Emitter, EmitterTicks } from "../../shared/api/emitter.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listStatusHistories } from "../status/queries.ts";
import type { Actor } from "../tokens/actor.ts";
import { type EmitterFilter, findEmitter, findNow, listEmitters } from "./queries.ts";
import { jitterMs } from "./read-schedule.ts";
import type { EmitterRow } from "./row.ts";
import { readableSchedule, scheduleOf } from "./schedule-of.ts";
import { readTemplate } from "./template.ts";
import { nextTicks } from "./ticks.ts";
import { describeSchedule, toEmitter } from "./to-emitter.ts";

type Parts = Pick<Broker, "db" | "seals">;

/** One emitter with its template, for those who may see data of signals; 404 when there is none. */
export async function showEmitter(
  { db, seals }: Parts,
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
  id: string,
): Promise<Emitter> {
  const row = await findEmitter(db, orgId, id);
  if (row === undefined) throw problem.notFound("emitter");
  const histories = await listStatusHistories(db, orgId, [id]);
  const isShown = permissions.has("signals.data");
  const template = isShown ? readTemplate(seals, row) : undefined;
  return toEmitter(row, { history: histories.get(id), template });
}

/** The newest emitters of a queue, without their templates. */
export async function showQueueEmitters(
  db: Broker["db"],
  org: OrgId,
  queueId: string,
): Promise<Emitter[]> {
  const filter: EmitterFilter = { queue_id: queueId };
  const rows = await listEmitters(db, org, { filter, after: undefined, limit: 100 });
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
  const late = jitterMs(row.id, row.jitter_window);
  return {
    description: describeSchedule(row),
    time_zone: row.time_zone,
    ticks: ticks.map((tick) => ({
      scheduled_for: tick.toISOString(),
      emit_at: new Date(tick.getTime() + late).toISOString(),
    })),
  };
}

/** A tick that is due and not emitted yet is still one of the next. */
function ticksOf(row: EmitterRow, now: Date, n: number): Date[] {
  const { next_tick_at: next, scheduled_at: only, mode } = row;
  if (mode !== "cron") return only !== null && (next !== null || only > now) ? [only] : [];
  const { cron, zone } = scheduleOf(row);
  return nextTicks(cron, zone, next === null ? now : new Date(next.getTime() - 1), n);
}
