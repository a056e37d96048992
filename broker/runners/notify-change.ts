import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { parseQueueKeys } from "../queues/queue-keys.ts";
import { topics } from "../wake/wakes.ts";

/** Who must be told of a change. */
export type ChangeListeners = Pick<Broker, "wakes" | "authenticator">;

/** The outcome of a change of runners, and whom to wake (null: nobody). */
export type RunnerChange = {
  readonly outcome: string;
  readonly wakes: readonly string[] | null;
  readonly process_ids: readonly string[] | null;
  readonly token_ids: readonly string[] | null;
};

/** Wakes the polls, processes and followers that a change concerns, on every broker. */
export function notifyChange(broker: ChangeListeners, org: OrgId, change: RunnerChange): void {
  const tokenIds = change.token_ids ?? [];
  if (tokenIds.length > 0) broker.authenticator.forget(tokenIds);
  broker.wakes.notify([
    topics.org(org),
    ...parseQueueKeys(change.wakes ?? []).map(({ runnerId }) => topics.queue(runnerId)),
    ...(change.process_ids ?? []).map(topics.process),
    ...tokenIds.map(topics.token),
  ]);
}
