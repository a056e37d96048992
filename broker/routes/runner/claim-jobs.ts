import { claimJobsRoute } from "../../../shared/api/poll-jobs.ts";
import type { ProcessOrder } from "../../../shared/api/process-order.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { runnerJobGroups } from "../../../shared/runner-job-types.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext, Door } from "../../http/app-types.ts";
import { requestHeader } from "../../http/request-header.ts";
import { setHeader } from "../../http/response-headers.ts";
import { streamAnswer } from "../../http/stream-answer.ts";
import { claimAnswer, giveBackUnlessWritten, openLargePlans } from "../../polls/answer-claim.ts";
import { knowProcess, newProcessBook } from "../../polls/claiming-process.ts";
import type { PollAnswer } from "../../polls/dispatcher.ts";
import { parkPoll, waitMs } from "../../polls/park-poll.ts";

/** POST /v1/runners/{runner_id}/jobs/claim */
export const claimJobs: Door = (app, broker) => {
  const book = newProcessBook();
  app.openapi(claimJobsRoute, async (c) => {
    const { runner_id: runnerId } = c.req.valid("param");
    const body = c.req.valid("json");
    const { orgId } = c.get("actor");
    const processId = body.process_id;
    const groups = new Map(runnerJobGroups.map((group) => [group, body.groups?.[group] ?? 0]));
    for (const [group, want] of groups) if (want === 0) groups.delete(group);
    const secret = requestHeader(c, processSecretHeader);
    await knowProcess(broker, book, { orgId, runnerId, processId, groups, secret });

    const { orders, tellOrders } = broker.desk;
    const poll = {
      orgId,
      runnerId,
      processId,
      pollId: body.poll_id ?? null,
      groups,
      knownOrders: body.known_orders ?? [],
      knownSettings: body.settings_version,
    };
    const parked = parkPoll(broker, {
      poll,
      waitMs: waitMs(body.wait),
      signal: c.req.raw.signal,
    });
    // A poll with groups learns of orders with its first look for jobs, but not of settings that changed meanwhile.
    const looks = groups.size === 0 || broker.desk.wasMissed(processId);
    if (looks && (await orders.areWorthIt(poll))) tellOrders(processId);
    const answer = await parked;
    const isTold = answer.kind === "orders" || (answer.kind === "claims" && answer.hasOrders);
    const telling = isTold ? orders.tell(processId, body.settings_version) : Promise.resolve([]);
    // Jobs are not lost for orders that cannot be read: those come with the next answer.
    const told = await (answer.kind === "claims" ? telling.catch(() => []) : telling);
    return answerClaim(c, broker, { answer, orders: told });
  });
};

type Answering = { readonly answer: PollAnswer; readonly orders: readonly ProcessOrder[] };

async function answerClaim(c: AppContext, broker: Broker, { answer, orders }: Answering) {
  const claims = answer.kind === "claims" ? answer.claims : [];
  if (claims.length > 0) giveBackUnlessWritten(broker, c.env.outgoing, claims);
  if (answer.kind === "draining") setHeader(c, "connection", "close");
  const type = "application/json"; // below text, so that plans stay as they are
  if (claims.some(({ hasLargePlan }) => hasLargePlan)) {
    const parts = await openLargePlans(broker, { claims, orders });
    return streamAnswer(c, broker, { type, parts: parts() }) as never;
  }
  const body = claimAnswer(broker, { claims, orders });
  return c.body(body, 200, { "content-type": type }) as never;
}
