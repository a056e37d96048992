import type { Db } from "../database/connect.ts";
import { listJobs } from "../jobs/list-jobs.ts";
import type { JobRow } from "../jobs/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { WantedVersion } from "./runner-versions.ts";

/** The management job that carries out an order to update. */
export const updateType = "mng-runner-update-version";

/** What the settings of these runners ask for. */
export async function listWantedVersions(
  db: Db,
  org: OrgId,
  runnerIds: readonly string[],
): Promise<(WantedVersion & { readonly runner_id: string })[]> {
  const member = (name: keyof WantedVersion) => db`coalesce(s.document ->> ${name}, '')`;
  return db<(WantedVersion & { readonly runner_id: string })[]>`
    select u.id as runner_id, ${member("binary_version")} as binary_version,
           ${member("container_image_url")} as container_image_url,
           ${member("container_image_tag")} as container_image_tag
      from runners u join runner_group_settings s on s.runner_group_id = u.runner_group_id
     where u.org_id = ${org} and s.org_id = ${org} and u.id = any(${runnerIds})`;
}

/** The latest orders to update a runner, the newest first: its own management jobs, by the index of owners. */
export async function listUpdates(
  db: Db,
  org: OrgId,
  runnerId: string,
  limit: number,
): Promise<JobRow[]> {
  const filter = { ownerId: runnerId, ownerType: "runners", runnerId, type: updateType } as const;
  return await listJobs(db, org, filter, { after: undefined, limit, offset: 0 });
}

/** Whether a live process manages the host of a runner. */
export async function isManaged(db: Db, org: OrgId, runnerId: string): Promise<boolean> {
  const [row] = await db<{ is_managed: boolean }[]>`
    select exists (select from runner_processes p
                    where p.org_id = ${org} and p.runner_id = ${runnerId} and p.type = 'mng'
                      and p.deadline_at is not null and p.status in ('pending', 'active')) as is_managed`;
  return row?.is_managed === true;
}
