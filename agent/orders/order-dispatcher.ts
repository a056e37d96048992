import { LRUCache } from "lru-cache";
import { orderKey, type ProcessOrder, processOrderSchema } from "../../shared/api/process-order.ts";
import type { BrokerClock } from "../client/broker-clock.ts";
import type { Log } from "../log.ts";
import type { Registration } from "../register/registration.ts";
import type { SettingsCache } from "../register/settings-cache.ts";
import type { RunningJobs } from "../running-jobs.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";

/** Obeys what the broker orders, each order once. */
export type OrderDispatcher = {
  /** Carries out the orders in an answer to this process; orders to an earlier process are ignored. */
  readonly take: (processId: string, orders: readonly unknown[]) => void;
  /** Keys of the orders that were taken, so that the broker does not repeat them at once. */
  readonly known: () => string[];
};

export type OrderDispatcherSpec = {
  readonly runningJobs: RunningJobs;
  readonly shutdown: ShutdownState;
  readonly settings: SettingsCache;
  readonly registration: Registration;
  readonly clock: BrokerClock;
  readonly log: Log;
  /** Sends a heartbeat soon, with what this process still holds. */
  readonly beatSoon: () => void;
};

type Obey<T extends ProcessOrder["type"]> = (
  parts: OrderDispatcherSpec,
  order: Extract<ProcessOrder, { type: T }>,
) => void;

/** What each order does. A new kind of order is a new line here; unknown kinds are ignored. */
const meanings: { readonly [T in ProcessOrder["type"]]: Obey<T> } = {
  cancel({ runningJobs, beatSoon }, { execution_id, reason }) {
    const job = runningJobs.get(execution_id);
    if (job === undefined) return beatSoon(); // it has stopped; a heartbeat without it tells the broker
    job.stop(reason, "gently");
    void job.done.then(beatSoon);
  },
  drain({ shutdown, clock }, { shutdown_id, deadline }) {
    shutdown.request({
      urgency: "draining",
      exit: "done",
      why: "an operator asked for a shutdown",
      deadlineMs: localDeadline(clock, deadline),
      reason: "forced",
      shutdownId: shutdown_id,
    });
  },
  restart({ shutdown, clock }, { shutdown_id, deadline }) {
    shutdown.request({
      urgency: "draining",
      exit: "restart",
      why: "an operator asked for a restart",
      deadlineMs: localDeadline(clock, deadline),
      reason: "forced",
      shutdownId: shutdown_id,
    });
  },
  force({ shutdown }, { shutdown_id }) {
    shutdown.request({
      urgency: "killing",
      exit: "killed",
      why: "an operator forced a shutdown",
      reason: "forced",
      shutdownId: shutdown_id,
    });
  },
  "re-register"({ registration, log }) {
    const { id } = registration.current();
    void registration
      .renew(id)
      .catch((error: unknown) => log.warn({ err: error }, "registering failed"));
  },
  settings({ settings, log }, { version }) {
    const failed = (error: unknown): void =>
      log.warn({ err: error }, "reading the settings failed");
    void settings.refresh(version).catch(failed);
  },
};

const mostKnown = 1_000;
/** These may be repeated with other contents, so each one is examined. */
const neverDone = new Set<ProcessOrder["type"]>(["settings", "re-register"]);

/** Makes the dispatcher of this agent. */
export function makeOrderDispatcher(parts: OrderDispatcherSpec): OrderDispatcher {
  const known = new LRUCache<string, true>({ max: mostKnown });

  function obey(order: ProcessOrder): void {
    const key = orderKey(order);
    if (known.get(key) === true && !neverDone.has(order.type)) return repeatCancel(parts, order);
    if (!neverDone.has(order.type)) known.set(key, true);
    parts.log.info({ order }, "order received");
    const mean = meanings[order.type] as (parts: OrderDispatcherSpec, order: ProcessOrder) => void; // each by its own key
    mean(parts, order);
  }

  return {
    take(processId, orders) {
      if (processId !== parts.registration.current().id) return;
      for (const told of orders) {
        const parsed = processOrderSchema.safeParse(told);
        if (parsed.success) obey(parsed.data);
        else
          parts.log.warn("the broker sent an order that this version does not know; it is ignored");
      }
    },
    known: () => [...known.keys()],
  };
}

/** The broker repeats a cancel until it knows that the execution has stopped: a heartbeat says so. */
function repeatCancel({ runningJobs, beatSoon }: OrderDispatcherSpec, order: ProcessOrder): void {
  if (order.type === "cancel" && runningJobs.get(order.execution_id) === undefined) beatSoon();
}

function localDeadline(clock: BrokerClock, deadline: string): number {
  return performance.now() + clock.toLocalMs(deadline) - Date.now();
}
