import type { OrgId } from "../orgs/org-id.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { parseQueueKeys } from "./queue-key.ts";

/** Wakes whoever waits for the queues that a change answered (queue_key[]), and who follows the org. */
export function notifyQueues(wakes: Wakes, org: OrgId, woken: readonly string[]): void {
  const runnerIds = new Set(parseQueueKeys(woken).map(({ runnerId }) => runnerId));
  wakes.notify([topics.org(org), ...[...runnerIds].map(topics.queue)]);
}
