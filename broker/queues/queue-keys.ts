import type { OrgId } from "../orgs/org-id.ts";
import { type Wakes, topics } from "../wake/wakes.ts";

/** Names one queue: a runner and a job group. */
export type QueueKey = { readonly runnerId: string; readonly jobGroup: string };

/** Reads Postgres's text of queue_key composites: `(run_…,deploy)`, `(run_…,"")`. */
export function parseQueueKeys(texts: readonly string[]): QueueKey[] {
  return texts.map((text) => {
    const comma = text.indexOf(",");
    const jobGroup = text.slice(comma + 1, -1);
    return { runnerId: text.slice(1, comma), jobGroup: jobGroup === '""' ? "" : jobGroup };
  });
}

/** Wakes polls of the queues that a change returned (queue_key[]), and followers of the org. */
export function notifyQueues(wakes: Wakes, org: OrgId, woken: readonly string[]): void {
  const runnerIds = new Set(parseQueueKeys(woken).map(({ runnerId }) => runnerId));
  wakes.notify([topics.org(org), ...[...runnerIds].map(topics.queue)]);
}
