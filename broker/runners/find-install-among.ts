import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** One runner, one group, some runners, those that a rollout orders, or the runner of an install. */
export type OfRunners = {
  readonly install_id?: string | undefined;
  readonly runner_id?: string | undefined;
  readonly runner_group_id?: string | undefined;
  readonly rollout_id?: string | undefined;
  readonly runner_ids?: readonly string[];
};

/** An install that has one of these runners, or the group, now. */
export async function findInstallAmong(
  db: Db,
  org: OrgId,
  of: OfRunners,
): Promise<string | undefined> {
  const { runner_id: runner, runner_group_id: group = null, runner_ids: runners = [] } = of;
  const { install_id: install = null, rollout_id: rollout = null } = of;
  const ids = runner === undefined ? [...runners] : [runner, ...runners];
  const [row] = await db<{ id: string }[]>`
    select i.id
      from (select u.runner_group_id as id from runners u where u.org_id = ${org} and u.id = any(${ids})
            union all select u.runner_group_id
                        from runner_rollout_targets t join runners u on u.org_id = t.org_id and u.id = t.runner_id
                       where t.org_id = ${org} and t.rollout_id = ${rollout}
            union all select x.runner_group_id from installs x where x.org_id = ${org} and x.id = ${install}
            union all select ${group}::text) g
      join installs i on i.runner_group_id = g.id and i.deleted_at is null
     where i.org_id = ${org}
     limit 1`;
  return row?.id;
}
