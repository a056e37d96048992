import {
  completeSignalRoute,
  extendSignalRoute,
  failSignalRoute,
  mostResultBytes,
} from "../../../shared/api/claim-signals.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { recordSignalReport } from "../../signals/record-signal-report.ts";
import type { SignalReport } from "../../signals/report-signal.ts";

/** POST /v1/queues/{queue_id}/signals/{signal_id}/complete */
export const completeSignal: RegisterRoutes = (app, broker) => {
  app.handle(completeSignalRoute, async ({ c, params, body: { lease_id: leaseId } }) => {
    const said = { event: "finish", leaseId, result: resultText(c) } as const;
    return await report(c, broker, { ...params, said });
  });
};

/** POST /v1/queues/{queue_id}/signals/{signal_id}/fail */
export const failSignal: RegisterRoutes = (app, broker) => {
  app.handle(failSignalRoute, async ({ c, params, body }) => {
    const { lease_id: leaseId, description, retry, retry_after } = body;
    const said = {
      event: retry ? "fail" : "give-up",
      leaseId,
      description,
      retryInNs: retry_after,
      result: resultText(c),
    } as const;
    return await report(c, broker, { ...params, said });
  });
};

/** POST /v1/queues/{queue_id}/signals/{signal_id}/extend */
export const extendSignal: RegisterRoutes = (app, broker) => {
  app.handle(extendSignalRoute, async ({ c, params, body }) => {
    const { lease_id: leaseId, lease: leaseNs } = body;
    const said = { event: "extend", leaseId, leaseNs } as const;
    return await report(c, broker, { ...params, said });
  });
};

type Said = {
  readonly queue_id: string;
  readonly signal_id: string;
  readonly said: Omit<SignalReport, "orgId" | "queueId" | "signalId">;
};

async function report(
  c: AppContext,
  { reportSignal }: Broker,
  { queue_id: queueId, signal_id: signalId, said }: Said,
) {
  const { orgId } = c.get("actor");
  const recorded = await recordSignalReport(reportSignal, { orgId, queueId, signalId, ...said });
  return {
    id: signalId,
    queue_id: queueId,
    status: recorded.status,
    lease_until: recorded.leaseUntil?.toISOString() ?? null,
  };
}

/** The result as it was sent. */
function resultText(c: AppContext): string | undefined {
  const text = c.get("verbatim").get("#/result");
  if (text === undefined || Buffer.byteLength(text) <= mostResultBytes) return text;
  const detail = "At most 64 KiB are allowed.";
  throw problem.invalid([{ pointer: "#/result", code: "too_large", detail }]);
}
