import type { Db } from "../database/connect.ts";
import type { ClaimedRow } from "./claim-signals.ts";

type Lease = Pick<ClaimedRow, "id" | "org_id" | "lease_id" | "lease_until">;

const texts = 1009;
const instants = 1185;

/**
 * Puts signals back in line, their execution not counted, unless their lease is another or began anew: then another
 * claim has them. Returns the queues where there is work now.
 */
export async function returnSignals(db: Db, leases: readonly Lease[]): Promise<string[]> {
  const text = (of: (lease: Lease) => string) => db.array(leases.map(of), texts);
  const rows = await db<{ wake: string }[]>`
    select wake from return_signals(
      ${text(({ org_id }) => org_id)}, ${text(({ id }) => id)}, ${text(({ lease_id }) => lease_id)},
      ${db.array(
        leases.map(({ lease_until }) => lease_until.toISOString()),
        instants,
      )}) r (wake)`;
  return rows.map(({ wake }) => wake);
}
