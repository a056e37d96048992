import type { WebhookChanges } from "../../shared/api/webhook.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireReceiver, webhookExists, webhooksTooLarge } from "./create-webhook.ts";
import { findTwin, findWebhook, type WebhookReplacement, writeWebhook } from "./queries.ts";
import { requireWebhook } from "./require-webhook.ts";
import { isSecretOf, sealSecret } from "./secrets.ts";

type Parts = Pick<Broker, "db" | "egress" | "seals">;
type Own = { readonly orgId: OrgId; readonly id: string };

const mostTries = 5;

/**
 * Replaces what is given; 409 where another webhook has its URL and the new match, 422 while this broker may not call its
 * URL, 412 when it has another version than asked for. The secret that it has already is no new one: what was sent twice leaves the
 * former secret in use.
 */
export async function updateWebhook(
  parts: Parts,
  orgId: OrgId,
  {
    id,
    version,
    changes,
  }: {
    readonly id: string;
    /** Only while it has this version. */
    readonly version: number | undefined;
    readonly changes: WebhookChanges;
  },
): Promise<void> {
  const { interests, match } = changes;
  const text = changes.webhook_secret ?? changes.secret;
  const { url } = await requireWebhook(parts.db, orgId, id);
  await requireReceiver(parts.egress, url, "webhook_url");
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const outcome = await writeWebhook(parts.db, orgId, id, {
      version,
      interests: interests && JSON.stringify(interests),
      match: match === undefined || match === null ? match : JSON.stringify(match),
      ...(text !== undefined && (await rotation(parts, { orgId, id }, text))),
    });
    if (outcome === "changed") return;
    if (outcome === "exists") {
      const wanted = match ? JSON.stringify(match) : null; // a match that stays is no other's
      throw webhookExists(await findTwin(parts.db, orgId, { id, match: wanted }));
    }
    if (outcome === "stale")
      throw problem.preconditionFailed(
        "The webhook was changed in the meantime. Read it and try again.",
      );
    if (outcome === "large") throw webhooksTooLarge();
    if (outcome === "not-found") throw problem.notFound("webhook");
  }
  throw problem.conflict(
    "webhook_changed",
    "Its secret is being changed by other requests. Try again.",
  );
}

/** The new secret with the one that it replaces; nothing where they are the same. */
async function rotation(
  { db, seals }: Parts,
  own: Own,
  text: string,
): Promise<Pick<WebhookReplacement, "secret" | "seen">> {
  const row = await findWebhook(db, own.orgId, own.id);
  if (row === undefined) throw problem.notFound("webhook");
  if (isSecretOf(seals, own, { row, text })) return {};
  return { secret: sealSecret(seals, own, text), seen: row.secret };
}
