import { z } from "zod";
import type { Broker } from "../broker.ts";
import { repeat } from "../clocks/repeat.ts";
import { listForgottenOrgs } from "../events/event-queries.ts";
import { fanOutEvents } from "../events/fan-out-events.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { startDeliveries } from "../webhooks/start-deliveries.ts";
import type { RunningTasks } from "./run-worker.ts";

const sweepEveryMs = 5000;
const forgottenAfter = "5 seconds";

const payloadSchema = z.object({ org_id: z.string().transform((id) => id as OrgId) }); // from a statement of ours

/** The tasks of events, for a worker whose tasks are short. */
export function eventTasks(broker: Broker) {
  return {
    "fan-out-events": async (payload: unknown): Promise<void> =>
      await fanOutEvents(broker, payloadSchema.parse(payload).org_id),
  };
}

/** Delivers events, and fans out those whose task was lost. */
export function startEventTasks(broker: Broker): RunningTasks {
  const stopped = new AbortController();
  const loop = { signal: stopped.signal, log: broker.log };
  const sweeping = repeat(loop, "forgotten events", sweepEveryMs, async () => {
    for (const orgId of await listForgottenOrgs(broker.db, forgottenAfter)) {
      await fanOutEvents(broker, orgId);
    }
  });
  const stopDeliveries = startDeliveries(broker);
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all([sweeping, stopDeliveries()]);
    },
  };
}
