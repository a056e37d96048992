import type { z } from "zod";
import type { pollInput } from "../../shared/api/poll-jobs.ts";
import { orderKey, type ProcessOrder } from "../../shared/api/process-order.ts";
import { type RunnerJobGroup, runnerJobGroups } from "../../shared/runner-job-types.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findEndedExecutions } from "./find-ended-executions.ts";
import { parkPoll, waitMs } from "./park-poll.ts";
import type { PollAnswer } from "./parked-polls.ts";
import {
  type ClaimingProcess,
  type ProcessCache,
  requireClaimingProcess,
} from "./require-claiming-process.ts";

export type AskedPoll = {
  readonly orgId: OrgId;
  readonly runnerId: string;
  readonly processId: string;
  /** The process's secret, which proves that the process itself asks. */
  readonly secret: string | undefined;
  readonly said: z.output<typeof pollInput>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
};

/** What a poll is answered with: its jobs, and the orders of its process. */
export type AnsweredPoll = {
  readonly answer: PollAnswer;
  readonly orders: readonly ProcessOrder[];
};

/** Waits for jobs and orders for a process of our agent, whichever way it asks. */
export async function pollForJobs(
  broker: Broker,
  book: ProcessCache,
  { orgId, runnerId, processId, secret, said, signal }: AskedPoll,
): Promise<AnsweredPoll> {
  const groups = wantedGroups(said.groups ?? {});
  await requireClaimingProcess(broker, book, { orgId, runnerId, processId, groups, secret });
  const { orders: pendingOrders, wakeForOrders } = broker.polls;
  const poll = {
    orgId,
    runnerId,
    processId,
    pollId: said.poll_id ?? null,
    groups,
    knownOrders: said.known_orders ?? [],
    knownSettings: said.settings_version,
  };
  const held = said.executions ?? [];
  const stopOrders = held.length === 0 ? [] : await stopOrdersFor(broker, poll, held);
  const hasNews = stopOrders.some((order) => !poll.knownOrders.includes(orderKey(order)));
  const parked = parkPoll(broker, {
    poll,
    waitMs: hasNews ? soonMs : waitMs(said.wait),
    signal,
  });
  // A poll with groups gets orders with its first look for jobs, but not changed settings.
  const looks = groups.size === 0 || broker.polls.hasMissedWakeUp(processId);
  if (looks && (await pendingOrders.areNew(poll))) wakeForOrders(processId);
  const answer = await parked;
  const wantsOrders = answer.kind === "orders" || (answer.kind === "claims" && answer.hasOrders);
  if (!wantsOrders) return { answer, orders: stopOrders };
  const delivering = pendingOrders.deliver(processId, said.settings_version);
  // Failing to read orders must not lose the claimed jobs: orders come with the next answer.
  const delivered = await (answer.kind === "claims" ? delivering.catch(() => []) : delivering);
  const deliveredKeys = new Set(delivered.map(orderKey));
  const others = stopOrders.filter((order) => !deliveredKeys.has(orderKey(order)));
  return { answer, orders: [...delivered, ...others] };
}

/** The groups that have free slots, in the order of the table. */
function wantedGroups(slots: Readonly<Record<string, number>>): Map<RunnerJobGroup, number> {
  const groups = new Map<RunnerJobGroup, number>();
  for (const group of runnerJobGroups) {
    const want = slots[group] ?? 0;
    if (want > 0) groups.set(group, want);
  }
  return groups;
}

/** With news to deliver, only jobs that are already there are claimed. */
const soonMs = 250;

/** Only for claims that name executions: most name none, and so cost no statement. */
async function stopOrdersFor(
  broker: Broker,
  { orgId, runnerId, processId }: Pick<ClaimingProcess, "orgId" | "runnerId" | "processId">,
  held: readonly string[],
): Promise<readonly ProcessOrder[]> {
  const owner = { orgId, token: runnerId };
  return await broker.permits.run(owner, () =>
    findEndedExecutions(broker.db, orgId, processId, held),
  );
}
