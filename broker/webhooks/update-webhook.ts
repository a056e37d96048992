import type { WebhookChanges } from "../../shared/api/webhook.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireReceiver, webhookExists, webhooksTooLarge } from "./create-webhook.ts";
import { findWebhook, type WebhookReplacement, writeWebhook } from "./queries.ts";
import { isSecretOf, sealSecret } from "./secrets.ts";
import { requireWebhook } from "./show-webhooks.ts";

type Parts = Pick<Broker, "db" | "egress" | "seals">;
type Own = { readonly orgId: OrgId; readonly id: string };

const mostTries = 5;

/**
 * Replaces what is given; 409 where another webhook has its URL and the new match, 422 while this broker may not call its URL. The secret that it has already is no new one: what
 * was sent twice leaves the former secret in use.
 */
export async function updateWebhook(
  parts: Parts,
  orgId: OrgId,
  { id, changes }: { readonly id: string; readonly changes: WebhookChanges },
): Promise<void> {
  const { interests, match } = changes;
  const text = changes.webhook_secret ?? changes.secret;
  const { url } = await requireWebhook(parts.db, orgId, id);
  await requireReceiver(parts.egress, url, "webhook_url");
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const outcome = await writeWebhook(parts.db, orgId, id, {
      interests: interests && JSON.stringify(interests),
      match: match === undefined || match === null ? match : JSON.stringify(match),
      ...(text !== undefined && (await rotation(parts, { orgId, id }, text))),
    });
    if (outcome === "changed") return;
    if (outcome === "exists") throw webhookExists();
    if (outcome === "large") throw webhooksTooLarge();
    if (outcome === "not-found") throw problem.notFound("webhook");
  }
  throw problem.conflict("webhook_changed", "Its secret is being changed by others. Try again.");
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
