import type { InstallRoleUsage } from "../../shared/api/install-role-usages.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { roleUsageRows } from "./role-usage-rows.ts";

type Row = Parameters<typeof roleUsageRows.toItem>[0];

/** As whom these jobs of the org run, by their ids; nothing of one that is of no install, or that an older version made. */
export async function findRoleUsages(
  db: Db,
  org: OrgId,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, InstallRoleUsage>> {
  const jobs = ids.flatMap((id) => id ?? []);
  if (jobs.length === 0) return new Map();
  const rows = await db<(Row & object)[]>`
    ${db.unsafe(roleUsageRows.select)} where u.org_id = ${org} and u.runner_job_id = any(${jobs})`;
  return new Map(rows.map((row) => [row.runner_job_id, roleUsageRows.toItem(row)]));
}
