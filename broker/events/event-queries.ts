import type { EventEntity } from "../../shared/webhooks/accepts-event.ts";
import type { StoredEvent } from "../../shared/webhooks/stored-event.ts";
import type { Db } from "../database/connect.ts";
import type { FeedPosition } from "../feeds/feed-position.ts";
import type { FeedRow } from "../feeds/feed.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** An event that is not yet fanned out. */
export type NewEvent = StoredEvent & {
  readonly workflow_type: string;
  readonly entities: readonly EventEntity[];
};

/** The org's events that are not fanned out, a workflow at a time, in its order. */
export async function listNewEvents(db: Db, org: OrgId, most: number): Promise<NewEvent[]> {
  return db<NewEvent[]>`
    select id, org_id, kind, transition, workflow_id, workflow_type, step_id, slugs, entities, data, created_at
      from events where org_id = ${org} and fanned_out_at is null
     order by workflow_id, seq limit ${most}`;
}

/** What becomes of an event: its text, when anybody is to get it, and a delivery for each who is. */
export type FannedOut = {
  readonly id: string;
  readonly body: string | null;
  readonly deliveries: readonly { readonly id: string; readonly webhook_id: string }[];
};

/** Makes the deliveries and marks the events, each once; answers the webhooks that got some. */
export async function storeFannedOut(
  db: Db,
  org: OrgId,
  items: readonly FannedOut[],
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from fan_out_events(${org}, ${JSON.stringify(items)}::text::jsonb) as id`;
  return rows.map(({ id }) => id);
}

/** Begins or renews a turn at an org's events; false: another lease has it. */
export async function takeFanOut(db: Db, org: OrgId, lease: string): Promise<boolean> {
  const [row] = await db<{ is_taken: boolean }[]>`
    select take_fan_out(${org}, ${lease}) as is_taken`;
  return row?.is_taken === true;
}

/** Ends a turn; true: it goes on, as others heard of more events. */
export async function leaveFanOut(db: Db, org: OrgId, lease: string): Promise<boolean> {
  const [row] = await db<{ goes_on: boolean }[]>`
    select leave_fan_out(${org}, ${lease}) as goes_on`;
  return row?.goes_on === true;
}

/** Ends all turns of a broker that stops, and has the others go on with them. */
export async function passOnFanOuts(db: Db, lease: string): Promise<void> {
  await db`select pass_on_fan_outs(${lease})`;
}

/** Orgs with events that have waited so long for their fan-out. */
export async function listForgottenOrgs(db: Db, after: string): Promise<OrgId[]> {
  const rows = await db<{ id: OrgId }[]>`
    select id from orgs_not_fanned_out(${after}::interval) as id`;
  return rows.map(({ id }) => id);
}

/** An event in the order of followers. */
export type FeedEvent = NewEvent &
  FeedRow & {
    /** Its number in its workflow. */
    readonly seq: number;
    readonly body: string | null;
  };

/** The org's events after a position, in the order of transactions. */
export async function listFeed(
  db: Db,
  org: OrgId,
  after: FeedPosition,
  limit: number,
): Promise<FeedEvent[]> {
  return db<FeedEvent[]>`
    select e.id, e.org_id, e.kind, e.transition, e.workflow_id, e.workflow_type, e.step_id, e.seq, e.slugs, e.entities, e.data,
           e.created_at, e.body, e.tx::text as tx, e.n, e.tx < pg_snapshot_xmin(pg_current_snapshot()) as is_settled
      from events e
     where e.org_id = ${org} and (e.tx, e.n) > (${String(after.tx)}::xid8, ${after.n})
     order by e.tx, e.n limit ${limit}`;
}
