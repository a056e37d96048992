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
  /** Takes what an answer to this process said; orders to an earlier process are nobody's any more. */
  readonly take: (processId: string, orders: readonly unknown[]) => void;
  /** Keys of the orders that were taken: they need not be told again at once. */
  readonly known: () => string[];
};

export type OrderDispatcherSpec = {
  readonly runningJobs: RunningJobs;
  readonly shutdown: ShutdownState;
  readonly settings: SettingsCache;
  readonly registration: Registration;
  readonly clock: BrokerClock;
  readonly log: Log;
  /** Tells the broker soon what this process still holds. */
  readonly beatSoon: () => void;
};

type Obey<T extends ProcessOrder["type"]> = (
  parts: OrderDispatcherSpec,
  order: Extract<ProcessOrder, { type: T }>,
) => void;

/** What each order means. A new kind of order needs a line here; until then it is passed by. */
const meanings: { readonly [T in ProcessOrder["type"]]: Obey<T> } = {
  cancel({ runningJobs, beatSoon }, { execution_id, reason }) {
    const job = runningJobs.get(execution_id);
    if (job === undefined) return beatSoon(); // it has stopped, and a heartbeat that does not name it says so
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
/** These may be told again with another meaning: they are looked at each time. */
const neverDone = new Set<ProcessOrder["type"]>(["settings", "re-register"]);

/** An order book of this agent. */
export function makeOrderDispatcher(parts: OrderDispatcherSpec): OrderDispatcher {
  const known = new LRUCache<string, true>({ max: mostKnown });

  function obey(order: ProcessOrder): void {
    const key = orderKey(order);
    if (known.get(key) === true && !neverDone.has(order.type)) return repeatCancel(parts, order);
    if (!neverDone.has(order.type)) known.set(key, true);
    parts.log.info({ order }, "order received");
    const mean = meanings[order.type] as (parts: OrderDispatcherSpec, order: ProcessOrder) => void; // by its own key
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

/** While a cancel is told again the broker does not know that the execution has stopped: a heartbeat tells it. */
function repeatCancel({ runningJobs, beatSoon }: OrderDispatcherSpec, order: ProcessOrder): void {
  if (order.type === "cancel" && runningJobs.get(order.execution_id) === undefined) beatSoon();
}

function localDeadline(clock: BrokerClock, deadline: string): number {
  return performance.now() + clock.toLocalMs(deadline) - Date.now();
}
