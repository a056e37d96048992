import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import { writeStandardRoles } from "./queries.ts";
import { standardRoles } from "./standard-roles.ts";

type Parts = { readonly db: Db; readonly log: Log };

/**
 * Makes the rows of the service's own roles what the code says, and tells which were not. At the start of a version that is to be
 * expected, later it is not.
 */
export async function reconcileRoles(
  { db, log }: Parts,
  { isStart }: { readonly isStart: boolean },
): Promise<void> {
  const mended = await writeStandardRoles(db, standardRoles);
  if (mended.length === 0) return;
  log[isStart ? "info" : "warn"](
    { roles: mended },
    "roles differed from the code and were corrected",
  );
}
