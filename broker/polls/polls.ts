import { randomUUID } from "node:crypto";
import type { Db } from "../database/connect.ts";
import type { ReportExecution } from "../executions/report-executions.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { Log } from "../log.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import type { Claim } from "./claim-jobs.ts";
import { confirmByParked } from "./confirm-by-poll.ts";
import { type Dispatcher, makeDispatcher } from "./dispatcher.ts";
import { type HandOff, makeHandOff } from "./hand-off.ts";
import { makeMissedWakeUps } from "./missed-wake-ups.ts";
import type { Poll } from "./parked-polls.ts";
import { makePendingOrders, type PendingOrders } from "./pending-orders.ts";
import { servePolls } from "./serve-polls.ts";

export type Polls = {
  readonly dispatcher: Dispatcher;
  readonly orders: PendingOrders;
  readonly handOff: HandOff;
  /** Ends the parked claim of a process, so that it learns of its orders. */
  readonly wakeForOrders: (processId: string) => void;
  /** Whether the process had recent news while no claim of it was parked here; this clears it. */
  readonly hasMissedWakeUp: (processId: string) => boolean;
  /** Ends an older poll of the process that is parked at another broker. */
  readonly notifyParked: (processId: string) => void;
  /** Gives back jobs whose claims could not be delivered. */
  readonly giveBack: (claims: readonly Claim[]) => void;
  /** Looks for work that a lost wake-up may have hidden; called at intervals, and after LISTEN was disconnected. */
  readonly scan: () => Promise<void>;
  /** Ends every parked poll now and every later one at once; resolves when batches in progress have ended. */
  readonly drain: () => Promise<void>;
  readonly isDraining: () => boolean;
};

export type PollsOptions = {
  readonly db: Db;
  readonly hotPath: HotPath;
  readonly seals: Seals;
  readonly wakes: Wakes;
  readonly log: Log;
  readonly report: ReportExecution;
  /** Called with the number of polls of each look. */
  readonly onBatch: (polls: number) => void;
};

/** Longer than an offer lasts, so that the next poll is not served too soon. */
const offerLapsedMs = 2_050;

/** Where polls wait and are served. */
export function makePolls(parts: PollsOptions): Polls {
  const { db, hotPath, seals, wakes, log, onBatch } = parts;
  const id = randomUUID();
  let draining = false;
  const orders = makePendingOrders(hotPath.db);
  const dispatcher: Dispatcher = makeDispatcher({
    serve: (polls) => serveOver(hotPath.db, polls),
    serveOrgAlone: (orgId, polls) => hotPath.runAlone(orgId, (around) => serveOver(around, polls)),
    undeliverable: (answer) => answer.kind === "claims" && giveBack(parts, answer.claims),
    onOffer: (runnerId) => setTimeout(() => dispatcher.look([runnerId]), offerLapsedMs).unref(),
    onError: (error) => log.error({ err: error }, "could not serve parked polls; retrying soon"),
  });
  const serveOver = (over: Db, polls: readonly Poll[]) => {
    onBatch(polls.length);
    return servePolls({ db: over, seals, log, wakes, orders, lookAgain }, polls);
  };
  const lookAgain = (runnerIds: readonly string[]): void => dispatcher.look(runnerIds);
  const { parked } = dispatcher;
  const missed = makeMissedWakeUps();
  const wakeForOrders = (processId: string): void => {
    const poll = parked.ofProcess(processId);
    if (poll === undefined) missed.add(processId);
    else if (parked.leave(poll)) poll.settle({ kind: "orders" });
  };
  wakes.subscribe("queue:", (topic) => dispatcher.look([topic.slice("queue:".length)]));
  wakes.subscribe("claim:", (topic) => {
    const [processId = "", instanceId] = topic.slice("claim:".length).split("/");
    const older = instanceId === id ? undefined : parked.ofProcess(processId);
    if (older !== undefined && parked.leave(older)) older.settle({ kind: "empty" });
  });
  wakes.subscribe("process:", (topic) => wakeForOrders(topic.slice("process:".length)));
  return {
    dispatcher,
    orders,
    handOff: makeHandOff({ ...parts, dispatcher, orders }),
    wakeForOrders,
    hasMissedWakeUp: missed.take,
    notifyParked: (processId) => wakes.notify([topics.claim(processId, id)]),
    giveBack: (claims) => giveBack(parts, claims),
    scan: async () => {
      if (parked.size === 0) return;
      const { runnerIds, processIds, stoppingIds } = await findMissed(db);
      dispatcher.look(runnerIds);
      for (const processId of processIds) {
        const poll = parked.ofProcess(processId);
        if (poll !== undefined && (await orders.areNew(poll))) wakeForOrders(processId);
      }
      for (const runnerId of stoppingIds)
        await confirmByParked(parts, runnerId, parked.ofRunner(runnerId));
    },
    drain: async () => {
      draining = true;
      for (const poll of Array.from(parked.all())) {
        if (parked.leave(poll)) poll.settle({ kind: "draining" });
      }
      await dispatcher.settled();
    },
    isDraining: () => draining,
  };
}

function giveBack({ report, log }: PollsOptions, claims: readonly Claim[]): void {
  for (const { job, execution } of claims) {
    const { org_id: orgId, runner_id: runnerId } = job;
    report({ orgId, runnerId, executionId: execution.id, giveBack: true }).catch(
      (error: unknown) => {
        // Unconfirmed, it goes back to its queue 30 s after the claim.
        log.warn(
          { err: error, execution_id: execution.id },
          "could not give back an undelivered job",
        );
      },
    );
  }
}

type Missed = Record<"runnerIds" | "processIds" | "stoppingIds", string[]>;

/**
 * What a lost wake-up may hide: runners with available jobs, processes with new orders; and third-party runners that
 * have to stop something, for which there is no wake-up.
 */
async function findMissed(db: Db): Promise<Missed> {
  const [runners, processes, stopping] = await Promise.all([
    db<{ id: string }[]>`
      select distinct runner_id as id from runner_job_live where status = 'available' and has_slot`,
    db<{ id: string }[]>`
      select process_id as id from stopping_executions
       where is_ours and process_id is not null and started_at > svc_now() - interval '5 s'
      union
      select runner_process_id from runner_process_shutdowns
       where deadline_at is not null and created_at > svc_now() - interval '5 s'`,
    db<{ id: string }[]>`
      select distinct runner_id as id from stopping_executions where not is_ours`,
  ]);
  const [runnerIds, processIds, stoppingIds] = [runners, processes, stopping].map((rows) =>
    rows.map(({ id }) => id),
  );
  return {
    runnerIds: runnerIds ?? [],
    processIds: processIds ?? [],
    stoppingIds: stoppingIds ?? [],
  };
}
