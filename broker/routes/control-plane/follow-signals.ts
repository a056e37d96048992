import { awaitSignalRoute, getSignalGraphRoute } from "../../../shared/api/follow-signals.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { awaitSignal } from "../../signals/await-signal.ts";
import { graphOfSignal } from "../../signals/graph-of-signal.ts";
import { requireQueueSignal } from "../../signals/read-signals.ts";

/** GET /v1/queues/{queue_id}/signals/{signal_id}/await, …/graph */
export const followSignals: RegisterRoutes = (app, broker) => {
  app.handle(awaitSignalRoute, async ({ c, actor, params, query, withPermit }) => {
    const at = { queueId: params.queue_id, id: params.signal_id };
    const ms = query.wait === undefined ? timeoutMs(query.timeout) : waitMs(query.wait);
    const release = limitConcurrency(c, broker, "waits_of_token");
    const waiting = { waitMs: ms, signal: c.req.raw.signal, withPermit };
    const shown = await awaitSignal(broker, actor, at, waiting).finally(release);
    if (actor.permissions.has("signals.data")) tellSecrets(c);
    return shown;
  });
  app.handle(getSignalGraphRoute, async ({ actor, params, query: { depth } }) => {
    const { queue_id: queueId, signal_id: id } = params;
    await requireQueueSignal(broker, actor, { queueId, id }, { withData: false });
    return await graphOfSignal(broker.db, actor, id, depth);
  });
};

/** Clients also give a number of seconds; 0: as it is now. */
function timeoutMs(timeout: string | undefined): number {
  if (timeout === "0") return 0;
  return waitMs(/^\d+$/.test(timeout ?? "") ? `${timeout}s` : timeout, "?timeout");
}
