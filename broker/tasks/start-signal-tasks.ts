import { z } from "zod";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { TakenTurn } from "../signals/turns/backlog-queries.ts";
import { type Backlog, startBacklog } from "../signals/turns/backlog.ts";
import { callBack } from "../signals/turns/call-back.ts";
import { endSignalsOfJob } from "../signals/turns/queries.ts";
import { runTurn } from "../signals/turns/run-turn.ts";
import { cancelJobOf } from "../signals/turns/runner-job.ts";
import { makeTurns, type TurnOwner, type Turns } from "../signals/turns/turns.ts";
import { topics } from "../wake/wakes.ts";
import { type RunningTasks, runWorker } from "./run-worker.ts";
import { eventTasks } from "./start-event-tasks.ts";

/** Tasks of signals hand over and return, those of events are a few statements: four at once are more than the database gives. */
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
  begins: z.number().default(0),
});
const endedPayload = z.object({ job_id: z.string() });
const cancelPayload = z.object({ org_id: orgId, job_id: z.string() });

/**
 * Executes signals and makes callbacks, by a worker beside the one of background work, so that neither waits for the other. No
 * task of it waits for a place: leases and clocks look after what was handed over. `brokerId` is shown with what it executes.
 */
export async function startSignalTasks(broker: Broker, brokerId: string): Promise<RunningTasks> {
  const { config, db, log, metrics } = broker;
  const onError = (error: unknown): void =>
    log.error({ err: error }, "a signal's task failed; its clock has it done again");
  const turns = makeTurns({
    places: config.signalsAtOnce,
    metrics,
    onError,
    onRoom: (owner) => backlog.refill(owner),
  });
  const hand = (owner: TurnOwner, taken: TakenTurn): void =>
    turns.take(owner, workOf(broker, { owner, taken, backlog, brokerId }));
  const { roomFor } = turns;
  const backlog = startBacklog({ db, log, roomFor, hand });
  const stopped = new AbortController();
  const tasks = { ...taskList(broker, hand), ...eventTasks(broker) };
  const options = { concurrency: atOnce, taskList: tasks, parsedCronItems: [] };
  const worker = await runWorker(broker, { name: "signal tasks", stopped, options });
  return {
    stop: async () => {
      await Promise.all([worker.stop(), backlog.stop()]);
      await turns.stop();
    },
  };
}

type Handed = {
  readonly owner: TurnOwner;
  readonly taken: TakenTurn;
  readonly backlog: Backlog;
  readonly brokerId: string;
};

/** What is done with a turn, or a callback, when there is a place for it, and when there is none in time. */
function workOf(
  broker: Broker,
  { owner, taken, backlog, brokerId }: Handed,
): Parameters<Turns["take"]>[1] {
  if (taken.kind === "turn") {
    const putOff = backlog.putOffTurn(owner);
    const beginner = `broker ${brokerId}`;
    return {
      run: (stopped) => runTurn(broker, taken.lease, { stopped, beginner, putOff }),
      putOff: () => putOff(taken.lease, 0),
    };
  }
  const putOff = backlog.putOffCallback(owner);
  return {
    run: (stopped) =>
      callBack(broker, taken.next, {
        stopped,
        putOff: (begun, restMs) => putOff({ ...begun, isBegun: true }, restMs),
      }),
    putOff: () => putOff({ ...taken.next, isBegun: false }, 0),
  };
}

function taskList(broker: Broker, hand: (owner: TurnOwner, taken: TakenTurn) => void) {
  const { db, wakes } = broker;
  return {
    "run-signal": async (payload: unknown): Promise<void> => {
      const { org_id, signal_id: signalId, lease_id: leaseId, type } = turnPayload.parse(payload);
      hand({ orgId: org_id, type }, { kind: "turn", lease: { orgId: org_id, signalId, leaseId } });
    },
    "call-back": async (payload: unknown): Promise<void> => {
      const { org_id, signal_id: signalId, n, begins } = callbackPayload.parse(payload);
      hand(
        { orgId: org_id, type: "callback" },
        { kind: "callback", next: { orgId: org_id, signalId, n, begins } },
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
