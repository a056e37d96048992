import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { Db } from "../database/connect.ts";

export type Orders = {
  readonly orders: readonly ProcessOrder[];
  /** The current version of the settings. */
  readonly settingsVersion: number;
};

type OrdersRow = { process_id: string; orders: ProcessOrder[] | null; settings_version: number };

/** The orders that our own agents get with every answer, by process; an unknown process has no entry. */
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

/** The orders, plus one to load settings when the process has an older version. */
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
