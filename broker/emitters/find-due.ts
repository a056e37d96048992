import type { Db } from "../database/connect.ts";
import type { EmitterWithTemplate } from "./row.ts";

/** An emitter whose time has come. */
export type DueId = { readonly id: string; readonly queue_id: string };

/** What its ticks and signals are computed of, as it was at `now`, the database's time. */
export type DueRow = Pick<
  EmitterWithTemplate,
  | "id"
  | "org_id"
  | "queue_id"
  | "version"
  | "mode"
  | "cron_schedule"
  | "time_zone"
  | "jitter_window"
  | "grace"
  | "missed_policy"
  | "missed_limit"
  | "scheduled_at"
  | "schedule_at"
  | "next_tick_at"
  | "next_emit_at"
  | "paused_until"
  | "status_at"
  | "key_id"
  | "contents"
> & { readonly now: Date };

/** At most so many emitters that are due, in the order in which they are to emit: orgs take turns, each with its oldest first. */
export async function listDue(db: Db, most: number): Promise<DueId[]> {
  return db<DueId[]>`select * from list_due_emitters(${most})`;
}

/** Those of these emitters that are still due, in this order, up to so many bytes of templates; at least one. */
export async function readDue(
  db: Db,
  ids: readonly string[],
  mostBytes: number,
): Promise<DueRow[]> {
  return db<DueRow[]>`select * from read_due_emitters(${[...ids]}::text[], ${mostBytes})`;
}
