import type { EmitterMode, EmitterStatus } from "../../shared/queue-emitter.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed } from "../seals/seals.ts";
import { emitterRow, type EmitterRow, type EmitterWithTemplate } from "./row.ts";

/** What a list of emitters is narrowed to. */
export type EmitterFilter = {
  readonly queue_id?: string | undefined;
  readonly name?: string | undefined;
  readonly mode?: EmitterMode | undefined;
  readonly status?: EmitterStatus | undefined;
  readonly signal_type?: string | undefined;
  /** Without those in lanes. */
  readonly hidesLanes?: boolean;
};

/** What an emitter is set to, as it is stored. */
export type EmitterSettings = Omit<
  EmitterRow,
  | "fired"
  | "key_id"
  | "emit_count"
  | "skip_count"
  | "last_emitted_at"
  | "last_signal_id"
  | "due_at"
  | "status"
  | "status_description"
  | "status_at"
  | "paused_until"
  | "paused_note"
  | "paused_by_id"
  | "version"
  | "created_at"
  | "updated_at"
>;

/** The database's time, to the millisecond. */
export async function findNow(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select svc_now() as now`;
  if (row === undefined) throw new Error("the database told no time");
  return row.now;
}

/** Writes an emitter: created, no-queue, taken (the name) or full (the org has `most`). */
export async function insertEmitter(
  db: Db,
  settings: EmitterSettings,
  { template, most }: { readonly template: Sealed; readonly most: number },
): Promise<string | undefined> {
  const emitter = JSON.stringify({ ...settings, key_id: template.keyId });
  const [row] = await db<{ outcome: string }[]>`
    select create_emitter(${emitter}::text::json, ${template.bytes}, ${most}) as outcome`;
  return row?.outcome;
}

/** Changes an emitter of this version: changed, not-found, stale or taken (the name). */
export async function writeEmitter(
  db: Db,
  settings: EmitterSettings,
  to: { readonly version: number; readonly template: Sealed; readonly isRescheduled: boolean },
): Promise<string | undefined> {
  const { keyId, bytes } = to.template;
  const emitter = JSON.stringify({ ...settings, key_id: keyId });
  const [row] = await db<{ outcome: string }[]>`
    select change_emitter(${to.version}, ${emitter}::text::json, ${bytes}, ${to.isRescheduled}) as outcome`;
  return row?.outcome;
}

/** An emitter with its sealed template. */
export async function findEmitter(
  db: Db,
  org: OrgId,
  id: string,
): Promise<EmitterWithTemplate | undefined> {
  const [row] = await db<EmitterWithTemplate[]>`
    select ${columns(db)}, e.contents from queue_emitters e where e.org_id = ${org} and e.id = ${id}`;
  return row;
}

/** Emitters that pass the filters, the newest first. Ids begin with their time: they are the order. */
export async function listEmitters(
  db: Db,
  org: OrgId,
  { filter, after, limit, offset }: ListRequest & { readonly filter: EmitterFilter },
): Promise<(EmitterRow & { readonly sort_key: string })[]> {
  return db<(EmitterRow & { sort_key: string })[]>`
    select ${columns(db)}, e.created_at::text as sort_key from queue_emitters e
     where e.org_id = ${org}
       ${after === undefined ? db`` : db`and e.id < ${after.id}`}
       ${filter.queue_id === undefined ? db`` : db`and e.queue_id = ${filter.queue_id}`}
       ${filter.name === undefined ? db`` : db`and e.name = ${filter.name}`}
       ${filter.mode === undefined ? db`` : db`and e.mode = ${filter.mode}`}
       ${filter.status === undefined ? db`` : db`and e.status = ${filter.status}`}
       ${filter.signal_type === undefined ? db`` : db`and e.signal_type = ${filter.signal_type}`}
       ${filter.hidesLanes === true ? db`and not exists (select from queues q where q.id = e.queue_id and (q.install_id is not null or q.app_id is not null))` : db``}
     order by e.id desc limit ${limit} offset ${offset}`;
}

/** Pauses or resumes: done, unchanged, not-found, ended (it is done) or past (the pause's end). */
export async function writeEmitterPause(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly event: "pause" | "resume";
    readonly note: string;
    readonly until: Date | null;
    readonly actorId: string;
  },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select set_emitter_pause(${org}, ${to.id}, ${to.event}, ${to.note}, ${to.until}, ${to.actorId}) as outcome`;
  return row?.outcome;
}

export type Fired = {
  readonly outcome: string;
  readonly id: string | null;
  readonly wakes: readonly string[];
};

/** Enqueues one signal of an emitter of this version: enqueued, kept, full, not-found or stale. */
export async function writeFiring(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly version: number;
    readonly signal: {
      readonly id: string;
      readonly key_id: string | null;
      readonly contents: string;
    };
    readonly actorId: string;
  },
): Promise<Fired> {
  const rows = await db<{ outcome: string | null; id: string | null; wake: string | null }[]>`
    select * from fire_emitter(${org}, ${to.id}, ${to.version}, ${JSON.stringify(to.signal)}::text::json, ${to.actorId})`;
  const first = rows.find(({ outcome }) => outcome !== null);
  const wakes = rows.flatMap(({ wake }) => (wake === null ? [] : [wake]));
  return { outcome: first?.outcome ?? "not-found", id: first?.id ?? null, wakes };
}

/** Deletes an emitter; false when there is none. */
export async function deleteEmitterRow(db: Db, org: OrgId, id: string): Promise<boolean> {
  const [row] = await db<{ was: boolean }[]>`select delete_emitter(${org}, ${id}) as was`;
  return row?.was === true;
}

function columns(db: Db) {
  return db(Object.keys(emitterRow.shape).map((name) => `e.${name}`));
}
