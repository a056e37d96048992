import { acceptsEvent, type Subscription } from "../../shared/webhooks/accepts-event.ts";
import type { Interests } from "../../shared/webhooks/interests.ts";
import type { Match } from "../../shared/webhooks/match.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { listSubscriptions } from "../webhooks/queries.ts";
import {
  type FannedOut,
  leaveFanOut,
  listNewEvents,
  type NewEvent,
  storeFannedOut,
  takeFanOut,
} from "./event-queries.ts";
import { linksOf } from "./links-of.ts";
import { toEnvelope } from "./to-envelope.ts";

type Parts = Pick<Broker, "db" | "publicUrl" | "wakes">;
type Subscriber = Subscription & { readonly id: string; readonly createdAt: Date };

const mostEvents = 200;
/** In one statement; the events after those that make as many wait for the next. */
const mostDeliveries = 5000;
/** Webhooks in memory at once: a match has 16 KiB. */
const pageOfWebhooks = 100;

/**
 * Makes deliveries of an org's new events for the webhooks that want them and are older; run twice, it adds nothing. It does one batch, in
 * the turn that has this lease; true: there may be more, for which it is to be called again. Where another broker has its turn, that one
 * hears that there are more.
 */
export async function fanOutEvents(parts: Parts, orgId: OrgId, lease: string): Promise<boolean> {
  const { db } = parts;
  if (!(await takeFanOut(db, orgId, lease))) return false;
  return (await fanOutBatch(parts, orgId)) || (await leaveFanOut(db, orgId, lease));
}

/** Whether there may be more. */
async function fanOutBatch(parts: Parts, orgId: OrgId): Promise<boolean> {
  const { db, wakes } = parts;
  const events = await listNewEvents(db, orgId, mostEvents);
  if (events.length === 0) return false;
  const wanted = await wantedBy(db, orgId, events);
  const items: FannedOut[] = [];
  let deliveries = 0;
  for (const [n, event] of events.entries()) {
    const webhookIds = wanted[n] ?? [];
    deliveries += webhookIds.length;
    if (deliveries > mostDeliveries && items.length > 0) break;
    items.push(await fanOut(parts, event, webhookIds));
  }
  const webhookIds = await storeFannedOut(db, orgId, items);
  wakes.notify(webhookIds.map(topics.webhook));
  return items.length === mostEvents || items.length < events.length;
}

/** The ids of the webhooks that get each event. */
async function wantedBy(
  db: Broker["db"],
  orgId: OrgId,
  events: readonly NewEvent[],
): Promise<string[][]> {
  const wanted = events.map((): string[] => []);
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: Subscriber[] = await readSubscribers(db, orgId, after);
    for (const [n, event] of events.entries()) {
      const ids = page.filter(
        (one) => one.createdAt <= event.created_at && acceptsEvent(one, event),
      );
      wanted[n]?.push(...ids.map(({ id }) => id));
    }
    after = page.length < pageOfWebhooks ? undefined : page.at(-1)?.id;
  }
  return wanted;
}

async function readSubscribers(
  db: Broker["db"],
  orgId: OrgId,
  after: string,
): Promise<Subscriber[]> {
  const rows = await listSubscriptions(db, orgId, { after, limit: pageOfWebhooks });
  return rows.map(({ id, interests, match, created_at: createdAt }) => ({
    id,
    createdAt,
    interests: JSON.parse(interests) as Interests, // stored in its one form
    match: match === null ? null : (JSON.parse(match) as Match), // likewise
  }));
}

async function fanOut(
  { publicUrl }: Parts,
  event: NewEvent,
  webhookIds: readonly string[],
): Promise<FannedOut> {
  const deliveries = webhookIds.map((id) => ({ id: newId("whd"), webhook_id: id }));
  const links = linksOf(publicUrl, event.data["links"]);
  const body =
    deliveries.length === 0 ? null : await toEnvelope({ ...event, data: { ...event.data, links } });
  return { id: event.id, body, deliveries };
}
