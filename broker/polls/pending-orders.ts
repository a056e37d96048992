import { type ProcessOrder, orderKey } from "../../shared/api/process-order.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import { growingCache } from "../growing-cache.ts";
import { type Orders, ordersFor, withSettingsOrder } from "../processes/orders-for.ts";

const toldForMs = 5_000;
const mostTold = 50_000;

export type PendingOrders = {
  /** The orders for the process, which then count as delivered. Look-ups that arrive together share a statement. */
  readonly deliver: (processId: string, knownSettings?: number) => Promise<readonly ProcessOrder[]>;
  /** Whether the process has an order that it does not know and that was not just delivered, which ends its poll. */
  readonly areNew: (poll: OrderedPoll) => Promise<boolean>;
};

export type OrderedPoll = {
  readonly processId: string | null;
  /** Keys of the orders that the process already knows. */
  readonly knownOrders: readonly string[];
  /** The version of the settings that the process says it has. */
  readonly knownSettings?: number | undefined;
};

/** An order stays until it is carried out; a process that does not send the orders it knows is woken every 5 s. */
export function makePendingOrders(db: Db): PendingOrders {
  const told = growingCache<string, ReadonlySet<string>>(mostTold, { ttl: toldForMs });
  const find = makeBatcher<string, Orders | undefined>(
    async (processIds) => {
      const found = await ordersFor(db, processIds);
      return processIds.map((id) => found.get(id));
    },
    { max: 500 },
  );

  async function deliver(
    processId: string,
    knownSettings?: number,
  ): Promise<readonly ProcessOrder[]> {
    const found = await find(processId);
    if (found === undefined) return [];
    const orders = withSettingsOrder(found, knownSettings);
    const keys = new Set(orders.map(orderKey));
    if (keys.size > 0) told.set(processId, keys);
    return orders;
  }

  async function areNew(poll: OrderedPoll): Promise<boolean> {
    const { processId, knownOrders, knownSettings } = poll;
    if (processId === null) return false;
    const found = await find(processId);
    if (found === undefined) return false;
    const keys = withSettingsOrder(found, knownSettings).map(orderKey);
    const before = told.get(processId);
    return keys.some((key) => !knownOrders.includes(key) && before?.has(key) !== true);
  }

  return { deliver, areNew };
}
