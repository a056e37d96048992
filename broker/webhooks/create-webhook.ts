import type { NewWebhook } from "../../shared/api/webhook.ts";
import { problem } from "../../shared/problem.ts";
import { allEvents } from "../../shared/webhooks/interests.ts";
import type { Broker } from "../broker.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { Egress } from "../egress/egress.ts";
import type { Actor } from "../tokens/actor.ts";
import { findTwin, findWebhook, insertWebhook } from "./queries.ts";
import { sealSecret } from "./secrets.ts";

const mostOfOrg = 1000;

/**
 * Creates a webhook; answers its id. 409 where another has its URL and match, 422 for what is no URL to call, or one that this broker may
 * not call.
 */
export async function createWebhook(
  { db, egress, seals }: Pick<Broker, "db" | "egress" | "seals">,
  { orgId, id: actorId, requestSeed }: Pick<Actor, "id" | "orgId" | "requestSeed">,
  given: NewWebhook,
): Promise<string> {
  const id = keyedId("whk", requestSeed);
  if (requestSeed !== undefined && (await findWebhook(db, orgId, id))) return id;
  const url = given.webhook_url ?? given.url ?? "";
  const secret = given.webhook_secret ?? given.secret;
  const { interests = allEvents, match = null } = given;
  const draft = {
    id,
    url,
    url_key: await requireReceiver(
      egress,
      url,
      given.webhook_url === undefined ? "url" : "webhook_url",
    ),
    interests: JSON.stringify(interests),
    match: match === null ? null : JSON.stringify(match),
    created_by_id: actorId,
  };
  const outcome = await insertWebhook(db, orgId, draft, {
    secret: secret === undefined ? undefined : sealSecret(seals, { orgId, id }, secret),
    most: mostOfOrg,
  });
  if (outcome === "exists") {
    const { url_key: urlKey, match: stored } = draft;
    throw webhookExists(await findTwin(db, orgId, { urlKey, match: stored }));
  }
  if (outcome === "full") {
    const detail = `This org has ${mostOfOrg} webhooks, which is the limit. Delete some that are no longer needed.`;
    throw problem.conflict("too_many_webhooks", detail);
  }
  if (outcome === "large") throw webhooksTooLarge();
  return id;
}

/** The URL, as equal ones are equal texts; 422 for one that cannot be called, or that this broker may not call. */
export async function requireReceiver(
  { checkReceiver }: Pick<Egress, "checkReceiver">,
  url: string,
  member: "url" | "webhook_url",
): Promise<string> {
  const checked = await checkReceiver(url);
  if (checked.isOk) return checked.url.href;
  const { code, detail } = checked;
  throw problem.invalid([{ pointer: `#/${member}`, code, detail }]);
}

/** The refusal of a URL and match that another webhook of the org has: this one, if it is still there. */
export const webhookExists = (id: string | undefined): Error =>
  problem.conflict(
    "webhook_exists",
    `This org has a webhook with this URL and match already${id === undefined ? "" : `: ${id}`}.`,
    id === undefined ? {} : { webhook_id: id },
  );

/** The refusal of interests and a match that are too long beside those that the org has. */
export const webhooksTooLarge = (): Error => {
  const detail =
    "The interests and matches of this org's webhooks would take more than 4 MiB together. Shorten some, for instance by labels in place of ids, or delete webhooks that are no longer needed.";
  return problem.conflict("webhooks_too_large", detail);
};
