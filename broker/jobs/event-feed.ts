import { isFinal } from "../../shared/runner-job.ts";
import { type Feed, type FeedParts, makeFeed } from "../feeds/feed.ts";
import { topics } from "../wake/wakes.ts";
import { type JobEventRow, listEvents } from "./list-events.ts";

/** The feed of jobs' moves; it also tells which jobs have ended, as soon as they have. */
export type EventFeed = Feed<JobEventRow, ReadonlySet<string>>;

/** The feed of one broker. */
export function makeEventFeed(parts: FeedParts): EventFeed {
  return makeFeed(parts, {
    what: "job events",
    topic: topics.org,
    list: listEvents,
    tell: (rows) => {
      const ends = rows.filter(({ to_status: status }) => isFinal(status));
      return new Set(ends.map((row) => row.runner_job_id));
    },
  });
}
