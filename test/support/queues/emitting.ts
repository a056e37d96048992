import { connect, type Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { Egress } from "../../../broker/egress/egress.ts";
import { emitDue } from "../../../broker/emitters/emit-due.ts";
import type { EmittingParts } from "../../../broker/emitters/plan-signals.ts";
import { readSchedule, type ScheduleInput } from "../../../broker/emitters/read-schedule.ts";
import { updateEmitter } from "../../../broker/emitters/update-emitter.ts";
import { openLog } from "../../../broker/log.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { openSeals } from "../../../broker/seals/seals.ts";
import { makeWakes } from "../../../broker/wake/wakes.ts";
import type { EmitterMode } from "../../../shared/queue-emitter.ts";
import { advanceClock } from "../database/clock.ts";
import { afterFile } from "../run/after-file.ts";
import { givenActor } from "../tokens/given-actor.ts";
import { givenEmitter } from "./given-emitters.ts";
import type { GivenQueue } from "./given-signals.ts";

/** What a broker that emits has: connections of its own, and the key of all of them. */
export async function emittingBroker(url: string): Promise<EmittingParts> {
  const db = connect(url, { max: 2 });
  afterFile(async () => await db.end({ timeout: 1 }));
  const key = { id: "test-1", key: Buffer.alloc(32, 7) };
  const seals = await openSeals({ read: async () => await Promise.resolve([key]) });
  return { db, seals, wakes: makeWakes(() => {}), log: openLog("silent") };
}

/** Emits until nothing is due. */
export async function emitAll(parts: EmittingParts): Promise<void> {
  for (let settled = 1; settled > 0;) ({ settled } = await emitDue(parts));
}

/** The database's time. */
export async function nowOf(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select svc_now() as now`;
  return row?.now ?? new Date(0);
}

/** Moves the clock on to an instant. */
export async function moveClockTo(db: Db, at: Date | string): Promise<void> {
  const [row] = await db<{ seconds: string }[]>`
    select extract(epoch from ${new Date(at)}::timestamptz - svc_now())::text as seconds`;
  await advanceClock(db, `${row?.seconds ?? "0"} seconds`);
}

/** An emitter whose next tick its schedule says, from the database's time on. */
export async function givenScheduled(
  db: Db,
  queue: GivenQueue,
  {
    mode = "cron",
    ...members
  }: ScheduleInput & { readonly mode?: EmitterMode } & Readonly<Record<string, unknown>>,
): Promise<string> {
  const id = newId("emt");
  const now = await nowOf(db);
  const schedule = readSchedule({ id, mode }, members, now);
  return await givenEmitter(db, queue, { ...members, ...schedule, id, mode });
}

/** The ticks that were emitted of an emitter, in the order in which they were enqueued. */
export async function emittedBy(db: Db, id: string): Promise<string[]> {
  const rows = await db<{ at: Date }[]>`
    select scheduled_for as at from queue_signals where emitter_id = ${id} and scheduled_for is not null order by id`;
  return rows.map(({ at }) => at.toISOString());
}

/** Changes an emitter as an admin of its org does. */
export async function patchEmitter(
  parts: EmittingParts,
  orgId: OrgId,
  id: string,
  changes: object,
): Promise<void> {
  const check = { isOk: true, url: new URL("http://a") } as const;
  const egress: Egress = {
    rules: { mode: "off", opened: [] },
    checkUrl: () => check,
    checkReceiver: async () => await Promise.resolve(check),
    callOut: async () => await Promise.reject(new Error("a change of an emitter calls nobody")),
  };
  await updateEmitter({ ...parts, egress }, givenActor(orgId), { id, version: undefined, changes });
}
