import { claimSignalsRoute, defaultLeaseNs } from "../../../shared/api/claim-signals.ts";
import { problem } from "../../../shared/problem.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { giveBackUnlessWritten } from "../../polls/answer-claim.ts";
import { longestWaitMs } from "../../polls/park-poll.ts";
import { claimAnswer } from "../../signals/claim-answer.ts";
import { parkClaim } from "../../signals/park-claim.ts";
import { requireClaimableQueue } from "../../signals/require-claimable-queue.ts";

/** POST /v1/queues/{queue_id}/signals/claim */
export const claimSignals: RegisterRoutes = (app, broker) => {
  app.handle(claimSignalsRoute, async ({ c, orgId, params, body, withPermit }) => {
    const { queue_id: queueId } = params;
    const { claim_id, worker, max, lease, wait } = body;
    await requireClaimableQueue(broker, { orgId, queueId }, withPermit);
    const answer = await parkClaim(broker, {
      claim: {
        orgId,
        queueId,
        claimId: claim_id ?? null,
        worker: worker ?? null,
        want: max,
        leaseNs: lease ?? defaultLeaseNs,
      },
      waitMs: wait === undefined ? longestWaitMs : wait / 1e6,
      signal: c.req.raw.signal,
    });
    if (answer.kind === "gone") throw problem.notFound("queue");
    if (answer.kind === "paused") throw queuePaused(answer);
    const signals = answer.kind === "signals" ? answer.signals : [];
    if (signals.length > 0) giveBackUnlessWritten(broker.signalClaims, c.env.outgoing, signals);
    if (answer.kind === "draining") setHeader(c, "connection", "close");
    const text = claimAnswer(signals, broker.clock.now());
    return c.body(text, 200, { "content-type": "application/json" }) as never; // below text: data stays as it was sent
  });
};

function queuePaused({
  note,
  until,
}: {
  readonly note: string | null;
  readonly until: Date | null;
}) {
  const end = until?.toISOString() ?? null;
  const [why, how] = [
    note === null || note === "" ? "" : `: ${note}`,
    end === null ? "Claim again after it is resumed." : `Claim again after ${end}.`,
  ];
  return problem.conflict("queue_paused", `This queue is paused${why}. ${how}`, {
    paused_note: note,
    paused_until: end,
  });
}
