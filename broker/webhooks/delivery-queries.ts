import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { AfterAttempt } from "./after-attempt.ts";
import type { WebhookRow } from "./row.ts";
import type { Attempt } from "./send-event.ts";

/** A webhook with something to deliver, which this broker alone delivers while it has the lease. */
export type Line = {
  readonly webhookId: string;
  readonly orgId: OrgId;
  readonly leaseId: string;
};

/** Takes lines that are due: so many, and of one org no more than `ofOrg` with those that it has here already. */
export async function takeLines(
  db: Db,
  {
    most,
    ofOrg,
    held,
  }: {
    readonly most: number;
    readonly ofOrg: number;
    readonly held: ReadonlyMap<OrgId, number>;
  },
): Promise<Line[]> {
  const rows = await db<{ webhook_id: string; org_id: OrgId; lease_id: string }[]>`
    select * from take_due_lines(${most}, ${ofOrg}, ${[...held.keys()]}::text[], ${[...held.values()]}::int[])`;
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    orgId: row.org_id,
    leaseId: row.lease_id,
  }));
}

type Receiver = Pick<
  WebhookRow,
  "id" | "url" | "key_id" | "secret" | "previous_key_id" | "previous_secret" | "previous_until"
>;
type TakenDelivery = {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly stream: string;
  readonly seq: number;
  readonly tries: number;
  readonly attempts: number;
  readonly is_resent: boolean;
  readonly body: string;
};
/** A delivery that is to be made now, and who is to get it. */
export type DueDelivery = Receiver & TakenDelivery;

/** What is due of a line, and whether its webhook fails: then it has one call at a time. */
export type DueOfLine = { readonly due: readonly DueDelivery[]; readonly isFailing: boolean };

/** The first delivery of each stream that is due but for the busy ones; undefined when somebody else has the lease. */
export async function takeDeliveries(
  db: Db,
  { webhookId, leaseId }: Line,
  { busy, most }: { readonly busy: readonly string[]; readonly most: number },
): Promise<DueOfLine | undefined> {
  const rows = await db<
    (Receiver & { is_failing: boolean } & {
      [Name in keyof TakenDelivery]: TakenDelivery[Name] | null;
    })[]
  >`
    select * from take_line_deliveries(${webhookId}, ${leaseId}, ${[...busy]}::text[], ${most})`;
  const [first] = rows;
  if (first === undefined) return undefined;
  const due = rows.filter((row): row is DueDelivery & typeof row => row.delivery_id !== null);
  return { due, isFailing: first.is_failing };
}

/** Gives a line back; whether something of it is due already. */
export async function releaseLine(db: Db, { webhookId, leaseId }: Line): Promise<boolean> {
  const [row] = await db<{ is_due: boolean | null }[]>`
    select release_webhook_line(${webhookId}, ${leaseId}) as is_due`;
  return row?.is_due === true;
}

/** What came of an attempt, and what is next. */
export type AttemptRecord = AfterAttempt &
  Omit<Attempt, "retryAfterMs"> & {
    readonly id: string;
    readonly org_id: OrgId;
    readonly webhook_id: string;
    readonly lease_id: string;
    readonly delivery_id: string;
    readonly stream: string;
    readonly n: number;
  };

/** Writes what came of attempts; of each, whether the lease was still there: else nothing was written. */
export async function recordAttempts(
  db: Db,
  records: readonly AttemptRecord[],
): Promise<boolean[]> {
  const rows = await db<{ delivery_id: string; is_written: boolean }[]>`
    select * from record_attempts(${JSON.stringify(records)}::text::jsonb)`;
  const written = new Set(rows.filter((row) => row.is_written).map((row) => row.delivery_id));
  return records.map((record) => written.has(record.delivery_id));
}

/** What a delivery sends. */
export async function findBody(db: Db, org: OrgId, id: string): Promise<string | undefined> {
  const [row] = await db<{ body: string }[]>`
    select e.body from webhook_deliveries d join events e on e.org_id = d.org_id and e.id = d.event_id
     where d.org_id = ${org} and d.id = ${id}`;
  return row?.body;
}

/** An attempt as it was written. */
export type AttemptRow = Omit<Attempt, "started_at" | "retryAfterMs"> & {
  readonly n: number;
  readonly started_at: Date;
};

/** The latest attempts of a delivery, the first of them first. */
export async function listAttempts(db: Db, org: OrgId, deliveryId: string): Promise<AttemptRow[]> {
  return db<AttemptRow[]>`
    select * from (select n, started_at, duration_ms, result, response_status, response_body, error_code, error, at
                     from webhook_attempts where org_id = ${org} and delivery_id = ${deliveryId}
                    order by at desc limit 100) a order by at`;
}

/** Which ended deliveries are to be made once more: one, or those that fit. */
export type Resent =
  | { readonly deliveryId: string }
  | {
      readonly status: "delivered" | "failed";
      readonly since?: string | undefined;
      readonly until?: string | undefined;
      readonly workflow_id?: string | undefined;
      readonly most: number;
    };

/** Has them made once more; answers how many, undefined when the webhook is disabled or not there. */
export async function resendRows(
  db: Db,
  org: OrgId,
  webhookId: string,
  resent: Resent,
): Promise<number | undefined> {
  const one = "deliveryId" in resent ? resent.deliveryId : null;
  const most = "most" in resent ? resent.most : 1;
  const [row] = await db<{ count: number | null }[]>`
    select resend_deliveries(${org}, ${webhookId}, ${one}, ${JSON.stringify(resent)}::text::json, ${most}) as count`;
  return row?.count ?? undefined;
}

/** Notes that a ping arrived; whether the webhook was disabled and is enabled by it. */
export async function notePing(db: Db, org: OrgId, webhookId: string): Promise<boolean> {
  const [row] = await db<{ is: boolean }[]>`
    select note_delivered(${org}, ${webhookId}, svc_now(), true) as is`;
  return row?.is === true;
}
