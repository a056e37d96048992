import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { Db } from "../database/connect.ts";

export type Orders = {
  readonly orders: readonly ProcessOrder[];
  /** The version of the settings as they are now. */
  readonly settingsVersion: number;
};

type OrdersRow = { process_id: string; orders: ProcessOrder[] | null; settings_version: number };

/** What our own agents are told with every answer, by process; a process that is unknown has no key. */
export async function ordersFor(
  db: Db,
  processIds: readonly string[],
): Promise<ReadonlyMap<string, Orders>> {
  const rows = await db<OrdersRow[]>`select * from orders_for(${[...processIds]}::text[])`;
  return new Map(
    rows.map((row) => [
      row.process_id,
      { orders: row.orders ?? [], settingsVersion: row.settings_version },
    ]),
  );
}

/** The orders, and one more when the process knows older settings than there are. */
export function withSettingsOrder(
  {
    orders,
    settingsVersion,
  }: { orders: readonly ProcessOrder[]; settingsVersion?: number | undefined },
  known: number | undefined,
): ProcessOrder[] {
  if (known === undefined || settingsVersion === undefined || known >= settingsVersion)
    return [...orders];
  return [...orders, { type: "settings", version: settingsVersion }];
}
