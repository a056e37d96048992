import type { Broker } from "../broker.ts";
import { type Followed, followFeed, type Following } from "../feeds/follow-feed.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { JobEventRow } from "./list-events.ts";

type FollowingJobs = Following & {
  readonly runnerId: string | undefined;
  readonly ownerId: string | undefined;
};

/** The moves of the org's jobs after the cursor; waits while there are none. Empty when the time is up. */
export async function followJobs(
  { db, events: feed }: Pick<Broker, "db" | "events">,
  org: OrgId,
  following: FollowingJobs,
): Promise<Followed<JobEventRow>> {
  const isAsked = (event: JobEventRow): boolean => isOf(event, following);
  return await followFeed({ db, feed, isAsked }, org, following);
}

function isOf(event: JobEventRow, { runnerId, ownerId }: FollowingJobs): boolean {
  if (runnerId !== undefined && event.runner_id !== runnerId) return false;
  return ownerId === undefined || event.owner_id === ownerId;
}
