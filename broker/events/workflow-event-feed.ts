import { type Feed, type FeedParts, makeFeed } from "../feeds/feed.ts";
import { topics } from "../wake/wakes.ts";
import { type FeedEvent, listFeed } from "./event-queries.ts";

/** The feed of the events of workflows and their steps. */
export type WorkflowEventFeed = Feed<FeedEvent, undefined>;

/** The feed of one broker. */
export function makeWorkflowEventFeed(parts: FeedParts): WorkflowEventFeed {
  const what = "events of workflows";
  return makeFeed(parts, { what, topic: topics.events, list: listFeed, tell: () => undefined });
}
