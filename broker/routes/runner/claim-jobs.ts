import { claimJobsRoute } from "../../../shared/api/poll-jobs.ts";
import { orderKey, type ProcessOrder } from "../../../shared/api/process-order.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { type RunnerJobGroup, runnerJobGroups } from "../../../shared/runner-job-types.ts";
import type { Broker } from "../../broker.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { claimAnswer, giveBackUnlessWritten, openLargePlans } from "../../polls/answer-claim.ts";
import { findEndedExecutions } from "../../polls/find-ended-executions.ts";
import { parkPoll, waitMs } from "../../polls/park-poll.ts";
import type { PollAnswer } from "../../polls/parked-polls.ts";
import {
  type ClaimingProcess,
  requireClaimingProcess,
  newProcessCache,
} from "../../polls/require-claiming-process.ts";

/** POST /v1/runners/{runner_id}/jobs/claim */
export const claimJobs: RegisterRoutes = (app, broker) => {
  const cache = newProcessCache();
  app.handle(claimJobsRoute, async ({ c, orgId, params: { runner_id: runnerId }, body }) => {
    const processId = body.process_id;
    const groups = wantedGroups(body.groups ?? {});
    const secret = requestHeader(c, processSecretHeader);
    await requireClaimingProcess(broker, cache, { orgId, runnerId, processId, groups, secret });

    const { orders: pendingOrders, wakeForOrders } = broker.polls;
    const poll = {
      orgId,
      runnerId,
      processId,
      pollId: body.poll_id ?? null,
      groups,
      knownOrders: body.known_orders ?? [],
      knownSettings: body.settings_version,
    };
    const held = body.executions ?? [];
    const stopOrders = held.length === 0 ? [] : await stopOrdersFor(broker, poll, held);
    const hasNews = stopOrders.some((order) => !poll.knownOrders.includes(orderKey(order)));
    const parked = parkPoll(broker, {
      poll,
      waitMs: hasNews ? soonMs : waitMs(body.wait),
      signal: c.req.raw.signal,
    });
    // A poll with groups gets orders with its first look for jobs, but not changed settings.
    const looks = groups.size === 0 || broker.polls.hasMissedWakeUp(processId);
    if (looks && (await pendingOrders.areNew(poll))) wakeForOrders(processId);
    const answer = await parked;
    const wantsOrders = answer.kind === "orders" || (answer.kind === "claims" && answer.hasOrders);
    if (!wantsOrders) return answerClaim(c, broker, { answer, orders: stopOrders });
    const delivering = pendingOrders.deliver(processId, body.settings_version);
    // Failing to read orders must not lose the claimed jobs: orders come with the next answer.
    const delivered = await (answer.kind === "claims" ? delivering.catch(() => []) : delivering);
    const deliveredKeys = new Set(delivered.map(orderKey));
    const orders = [
      ...delivered,
      ...stopOrders.filter((order) => !deliveredKeys.has(orderKey(order))),
    ];
    return answerClaim(c, broker, { answer, orders });
  });
};

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

type Answering = { readonly answer: PollAnswer; readonly orders: readonly ProcessOrder[] };

async function answerClaim(c: AppContext, broker: Broker, { answer, orders }: Answering) {
  const claims = answer.kind === "claims" ? answer.claims : [];
  if (claims.length > 0) giveBackUnlessWritten(broker.polls, c.env.outgoing, claims);
  if (answer.kind === "draining") setHeader(c, "connection", "close");
  const type = "application/json"; // below text, so that plans stay as they are
  if (claims.some(({ hasLargePlan }) => hasLargePlan)) {
    const parts = await openLargePlans(broker, { claims, orders });
    return streamAnswer(c, broker, { type, parts: parts() }) as never;
  }
  const body = claimAnswer(broker.clock, { claims, orders });
  return c.body(body, 200, { "content-type": type }) as never;
}
