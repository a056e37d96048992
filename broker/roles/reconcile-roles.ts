import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import { writeStandardRoles } from "./queries.ts";
import { standardRoles } from "./standard-roles.ts";

/** Makes the rows of the service's own roles what the code says, and tells which were not. */
export async function reconcileRoles({
  db,
  log,
}: {
  readonly db: Db;
  readonly log: Log;
}): Promise<void> {
  const mended = await writeStandardRoles(db, standardRoles);
  if (mended.length > 0)
    log.warn({ roles: mended }, "roles differed from the code, and were mended");
}
