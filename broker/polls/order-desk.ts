import { type ProcessOrder, orderKey } from "../../shared/api/process-order.ts";
import type { Db } from "../database/connect.ts";
import { gather } from "../database/gather.ts";
import { ordersFor } from "../processes/orders-for.ts";

const toldForMs = 5_000;
const mostTold = 50_000;

export type OrderDesk = {
  /** What the process is told now. Look-ups that arrive together travel in one statement. */
  readonly ordersOf: (processId: string) => Promise<readonly ProcessOrder[]>;
  /** Whether an order among them is worth waking a poll for: not known to it, and not just told. */
  readonly anyNew: (processId: string, asked: OrdersAsked) => boolean;
};

export type OrdersAsked = {
  readonly orders: readonly ProcessOrder[];
  /** Keys of the orders that the process says it knows. */
  readonly known: readonly string[] | undefined;
};

type Told = { readonly keys: ReadonlySet<string>; readonly atMs: number };

/** An order stands until it is carried out; a process that does not say what it knows is woken for it every 5 s. */
export function makeOrderDesk(db: Db): OrderDesk {
  const told = new Map<string, Told>();
  const ordersOf = gather<string, readonly ProcessOrder[]>(
    async (processIds) => {
      const found = await ordersFor(db, processIds);
      return processIds.map((id) => found.get(id)?.orders ?? []);
    },
    { max: 500 },
  );

  function anyNew(processId: string, { orders, known }: OrdersAsked): boolean {
    if (orders.length === 0) return false;
    const keys = orders.map(orderKey);
    const before = told.get(processId);
    const isFresh = before !== undefined && performance.now() - before.atMs < toldForMs;
    const isNew = (key: string): boolean =>
      known?.includes(key) !== true && !(isFresh && before.keys.has(key));
    if (!keys.some(isNew)) return false;
    if (told.size >= mostTold) told.clear();
    told.set(processId, { keys: new Set(keys), atMs: performance.now() });
    return true;
  }

  return { ordersOf, anyNew };
}
