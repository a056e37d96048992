import type { WorkflowEventItem } from "../../shared/api/follow-workflow-events.ts";
import { acceptsEvent, type Subscription } from "../../shared/webhooks/accepts-event.ts";
import type { Broker } from "../broker.ts";
import { followFeed, type Following } from "../feeds/follow-feed.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { FeedEvent } from "./event-queries.ts";
import { linksOf } from "./links-of.ts";
import { toEnvelope } from "./to-envelope.ts";

type FollowingEvents = Following & { readonly wanted: Subscription };
type Parts = Pick<Broker, "db" | "publicUrl" | "workflowEvents">;

/**
 * The org's events after the cursor, each as webhooks get it, in one order in which those of a workflow have theirs; waits while there are
 * none. Empty when the time is up.
 */
export async function followEvents(
  { db, publicUrl, workflowEvents: feed }: Parts,
  org: OrgId,
  following: FollowingEvents,
): Promise<{ readonly items: WorkflowEventItem[]; readonly nextCursor: string }> {
  const isAsked = (event: FeedEvent): boolean => acceptsEvent(following.wanted, event);
  const { rows, nextCursor } = await followFeed({ db, feed, isAsked }, org, following);
  const items = rows.map(async (event) => ({
    sequence: event.seq,
    body: await textOf(event, publicUrl),
  }));
  return { items: await Promise.all(items), nextCursor };
}

/** The bytes that webhooks get; made anew of an event that none wanted, or that is not fanned out yet. */
async function textOf(event: FeedEvent, publicUrl: Broker["publicUrl"]): Promise<string> {
  if (event.body !== null) return event.body;
  const links = linksOf(publicUrl, event.data["links"]);
  return await toEnvelope({ ...event, data: { ...event.data, links } });
}
