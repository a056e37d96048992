import { z } from "zod";
import type { Broker } from "../broker.ts";
import { repeat } from "../clocks/repeat.ts";
import { listForgottenOrgs } from "../events/event-queries.ts";
import { startFanOuts } from "../events/start-fan-outs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { startDeliveries } from "../webhooks/start-deliveries.ts";
import type { RunningTasks } from "./run-worker.ts";

const sweepEveryMs = 2000;
const forgottenAfter = "1 second";

const payloadSchema = z.object({ org_id: z.string().transform((id) => id as OrgId) }); // from a statement of ours

/** What brokers of an older version leave of fan-outs. */
export function eventTasks(broker: Broker) {
  return {
    "fan-out-events": (payload: unknown): void =>
      broker.wakes.notify([topics.events(payloadSchema.parse(payload).org_id)]),
  };
}

/** Fans out events and delivers them; those of which no broker heard are looked for. */
export function startEventTasks(broker: Broker): RunningTasks {
  const stopped = new AbortController();
  const loop = { signal: stopped.signal, log: broker.log };
  const fanOuts = startFanOuts(broker);
  const sweeping = repeat(loop, "forgotten events", sweepEveryMs, async () => {
    for (const orgId of await listForgottenOrgs(broker.db, forgottenAfter)) fanOuts.ask(orgId);
  });
  const stopDeliveries = startDeliveries(broker);
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all([sweeping, fanOuts.stop(), stopDeliveries()]);
    },
  };
}
