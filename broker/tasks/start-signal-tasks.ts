import { z } from "zod";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { callBack } from "../signals/turns/call-back.ts";
import { endSignalsOfJob, putOffTurn } from "../signals/turns/queries.ts";
import { runTurn } from "../signals/turns/run-turn.ts";
import { cancelJobOf } from "../signals/turns/runner-job.ts";
import { makeTurns, type Turns } from "../signals/turns/turns.ts";
import { topics } from "../wake/wakes.ts";
import { type RunningTasks, runWorker } from "./run-worker.ts";

/** Tasks of signals hand over and return: four at once are more than the database gives. */
const atOnce = 4;

const orgId = z.string().transform((id) => id as OrgId); // from a statement of ours
const turnPayload = z.object({
  org_id: orgId,
  signal_id: z.string(),
  lease_id: z.string(),
  type: z.string().default(""),
});
const callbackPayload = z.object({
  org_id: orgId,
  signal_id: z.string(),
  n: z.number(),
  tries: z.number().default(0),
});
const endedPayload = z.object({ job_id: z.string() });
const cancelPayload = z.object({ org_id: orgId, job_id: z.string() });

/**
 * Executes signals and makes callbacks, by a worker beside the one of background work, so that neither waits for the other. No
 * task of it waits for a place: leases and clocks look after what was handed over.
 */
export async function startSignalTasks(broker: Broker): Promise<RunningTasks> {
  const { config, log, metrics } = broker;
  const onError = (error: unknown): void =>
    log.error({ err: error }, "a signal's task failed; its clock has it done again");
  const turns = makeTurns({ places: config.signalsAtOnce, metrics, onError });
  const stopped = new AbortController();
  const options = { concurrency: atOnce, taskList: taskList(broker, turns), parsedCronItems: [] };
  const worker = await runWorker(broker, { name: "signal tasks", stopped, options });
  return {
    stop: async () => {
      await worker.stop();
      await turns.stop();
    },
  };
}

function taskList(broker: Broker, turns: Turns) {
  const { db, wakes } = broker;
  return {
    "run-signal": async (payload: unknown): Promise<void> => {
      const { org_id, signal_id: signalId, lease_id: leaseId, type } = turnPayload.parse(payload);
      const lease = { orgId: org_id, signalId, leaseId };
      turns.take(
        { orgId: org_id, type },
        {
          run: (stopped) => runTurn(broker, lease, stopped),
          putOff: (afterMs) => putOffTurn(db, lease, afterMs),
        },
      );
    },
    "call-back": async (payload: unknown): Promise<void> => {
      const { org_id, signal_id: signalId, n, tries } = callbackPayload.parse(payload);
      const next = { orgId: org_id, signalId, n, tries };
      turns.take(
        { orgId: org_id, type: "callback" },
        { run: (stopped) => callBack(broker, next, stopped), putOff: () => Promise.resolve() },
      );
    },
    "end-signal-of-job": async (payload: unknown): Promise<void> => {
      const queueIds = await endSignalsOfJob(db, endedPayload.parse(payload).job_id);
      if (queueIds.length > 0) wakes.notify(queueIds.map((id) => topics.signals(id)));
    },
    "cancel-job-of-signal": async (payload: unknown): Promise<void> => {
      const { org_id, job_id: jobId } = cancelPayload.parse(payload);
      await cancelJobOf(broker, { orgId: org_id }, jobId);
    },
  };
}
