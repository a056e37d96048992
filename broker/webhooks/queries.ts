import { createHash } from "node:crypto";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed } from "../seals/seals.ts";
import type { WebhookRow } from "./row.ts";

/** A webhook that is to be stored; interests and match are the JSON of their one form. */
export type WebhookDraft = {
  readonly id: string;
  readonly url: string;
  readonly url_key: string;
  readonly interests: string;
  readonly match: string | null;
  readonly created_by_id: string;
};

/** Writes a webhook: created, exists (this URL and match), full (the org has `most`) or large (all are). */
export async function insertWebhook(
  db: Db,
  org: OrgId,
  draft: WebhookDraft,
  { secret, most }: { readonly secret: Sealed | undefined; readonly most: number },
): Promise<string | undefined> {
  const webhook = JSON.stringify({ ...draft, key_id: secret?.keyId ?? null });
  const [row] = await db<{ outcome: string }[]>`
    select create_webhook(${org}, ${webhook}::text::json, ${secret?.bytes ?? null}, ${most}) as outcome`;
  return row?.outcome;
}

/** What is replaced; a match of null is the whole org. */
export type WebhookReplacement = {
  readonly interests?: string | undefined;
  readonly match?: string | null | undefined;
  /** Only while it has this version. */
  readonly version?: number | undefined;
  readonly secret?: Sealed | undefined;
  /** The sealed secret that the new one replaces. */
  readonly seen?: Buffer | null | undefined;
};

/**
 * Replaces what is given: changed, not-found, exists (this URL and match), large (all of the org are), stale (another version), or moved (the
 * secret is not the one that was seen).
 */
export async function writeWebhook(
  db: Db,
  org: OrgId,
  id: string,
  { version, interests, match, secret, seen }: WebhookReplacement,
): Promise<string | undefined> {
  const changes = JSON.stringify({
    version,
    interests,
    match,
    has_match: match !== undefined,
    key_id: secret?.keyId ?? null,
    seen_secret: seen ? createHash("sha256").update(seen).digest("hex") : null,
  });
  const [row] = await db<{ outcome: string }[]>`
    select change_webhook(${org}, ${id}, ${changes}::text::json, ${secret?.bytes ?? null}, ${overlap}::interval) as outcome`;
  return row?.outcome;
}

/** The webhook that has a URL, by its key or as that of another one, and a match. */
export async function findTwin(
  db: Db,
  org: OrgId,
  of: { readonly match: string | null } & ({ readonly urlKey: string } | { readonly id: string }),
): Promise<string | undefined> {
  const key =
    "urlKey" in of
      ? db`${of.urlKey}`
      : db`(select o.url_key from webhooks o where o.org_id = ${org} and o.id = ${of.id})`;
  const [row] = await db<{ id: string }[]>`
    select w.id from webhooks w
     where w.org_id = ${org} and md5(w.url_key) = md5(${key}) and md5(coalesce(w.match, '')) = md5(${of.match ?? ""})
       and w.deleted_at is null ${"id" in of ? db`and w.id <> ${of.id}` : db``}`;
  return row?.id;
}

/** How long receivers may still check by a secret that was rotated. */
const overlap = "24 hours";

/** Whether there was one to delete. */
export async function deleteWebhookRow(db: Db, org: OrgId, id: string): Promise<boolean> {
  const [row] = await db<{ is: boolean }[]>`select delete_webhook(${org}, ${id}) as is`;
  return row?.is === true;
}

/** A webhook as what calls it needs it: with its secrets, sealed. */
export type StoredWebhook = Pick<
  WebhookRow,
  "id" | "url" | "key_id" | "secret" | "previous_key_id" | "previous_secret" | "previous_until"
>;

/** A webhook that is not deleted. */
export async function findWebhook(
  db: Db,
  org: OrgId,
  id: string,
): Promise<StoredWebhook | undefined> {
  const [row] = await db<StoredWebhook[]>`
    select w.id, w.url, w.key_id, w.secret, w.previous_key_id, w.previous_secret,
           case when w.previous_until > svc_now() then w.previous_until end as previous_until
      from webhooks w where w.org_id = ${org} and w.id = ${id} and w.deleted_at is null`;
  return row;
}

type SubscriptionRow = Pick<WebhookRow, "id" | "interests" | "match" | "created_at">;

/** What the org's webhooks want, but for those that are disabled: a page, behind an id. */
export async function listSubscriptions(
  db: Db,
  org: OrgId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<SubscriptionRow[]> {
  return db<SubscriptionRow[]>`
    select id, interests, match, created_at from webhooks
     where org_id = ${org} and id > ${after} and deleted_at is null and disabled_at is null
     order by id limit ${limit}`;
}
