import type { NewRunnerGroup, RunnerGroupChanges } from "../../shared/api/runner-groups.ts";
import type { RunnerGroupType, RunnerPlatform } from "../../shared/runner-platforms.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { RunnerChange } from "../runners/notify-change.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { RunnerGroupRow, RunnerSettingsRow } from "./row.ts";
import type { StoredSettings } from "./settings.ts";

/** Settings with what they show of their group. */
export type SettingsWithPlatform = RunnerSettingsRow & { readonly platform: RunnerPlatform };

export type GroupFilters = {
  readonly owner_id?: string | undefined;
  readonly type?: RunnerGroupType | undefined;
};

/** Writes a group and the first version of its settings. */
export async function insertRunnerGroup(
  db: Db,
  org: OrgId,
  group: Omit<NewRunnerGroup, "settings" | "owner_id" | "owner_type"> & {
    readonly owner_id: string;
    readonly owner_type: string;
    readonly id: string;
    readonly settingsId: string;
    readonly settings: StoredSettings;
    readonly actorId: string;
  },
): Promise<void> {
  const { settings } = group;
  await db`
    with g as (
      insert into runner_groups (id, org_id, name, owner_id, owner_type, type, platform, created_by_id)
      values (${group.id}, ${org}, ${group.name}, ${group.owner_id}, ${group.owner_type}, ${group.type},
              ${group.platform}, ${group.actorId})
      returning id, org_id
    )
    insert into runner_group_settings (id, org_id, runner_group_id, groups, job_group_parallelism,
                                       job_group_max_depth, heart_beat_timeout, sandbox_mode, document,
                                       created_by_id)
    select ${group.settingsId}, g.org_id, g.id, ${settings.groups}::text[],
           ${JSON.stringify(settings.job_group_parallelism)}::text::jsonb, ${settings.job_group_max_depth},
           ${settings.heart_beat_timeout}, ${settings.sandbox_mode},
           ${JSON.stringify(settings.document)}::text::jsonb, ${group.actorId}
      from g`;
}

/** A group that is not deleted. */
export async function findRunnerGroup(
  db: Db,
  org: OrgId,
  id: string,
): Promise<RunnerGroupRow | undefined> {
  const [row] = await db<RunnerGroupRow[]>`
    select g.*, ${installOf(db)} from runner_groups g
     where g.org_id = ${org} and g.id = ${id} and g.deleted_at is null`;
  return row;
}

/** The id of the oldest group that is the org's own. */
export async function findOwnGroup(db: Db, org: OrgId): Promise<string | undefined> {
  const [row] = await db<{ id: string }[]>`
    select id from runner_groups where org_id = ${org} and type = 'org' and deleted_at is null
     order by created_at, id limit 1`;
  return row?.id;
}

const installOf = (db: Db) => db`
  (select i.id from installs i where i.runner_group_id = g.id and i.deleted_at is null) as install_id`;

/** Groups that pass the filters, the newest first. */
export async function listRunnerGroups(
  db: Db,
  org: OrgId,
  {
    filters,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & { readonly filters: GroupFilters; readonly bound?: Bound | null },
): Promise<(RunnerGroupRow & { readonly sort_key: string })[]> {
  return db<(RunnerGroupRow & { readonly sort_key: string })[]>`
    select g.*, ${installOf(db)}, g.created_at::text as sort_key from runner_groups g
     where org_id = ${org} and deleted_at is null ${boundTo(db, "runner_groups", bound)}
       ${after === undefined ? db`` : db`and (created_at, id) < (${after.sortKey}::text::timestamptz, ${after.id})`}
       ${filters.owner_id === undefined ? db`` : db`and owner_id = ${filters.owner_id}`}
       ${filters.type === undefined ? db`` : db`and type = ${filters.type}`}
     order by created_at desc, id desc limit ${limit} offset ${offset}`;
}

export type CapacityRow = {
  readonly id: string;
  readonly runners: number;
  readonly slots: number;
  readonly in_use: number;
  readonly waiting: number;
};

/** What all runners of each of these groups together can do and do. */
export async function listCapacities(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<CapacityRow[]> {
  if (ids.length === 0) return [];
  return db<CapacityRow[]>`
    select u.runner_group_id as id, count(distinct u.id)::int as runners, sum(q.slots)::int as slots,
           sum(q.in_use)::int as in_use, sum(q.waiting)::int as waiting
      from runners u join runner_queues q on q.runner_id = u.id
     where u.org_id = ${org} and u.runner_group_id = any(${[...ids]}) and u.lifecycle <> 'deleted'
     group by u.runner_group_id`;
}

/** Writes the given columns; a new platform makes a new version of the settings. False when there is no group. */
export async function updateGroupColumns(
  db: Db,
  org: OrgId,
  { id, changes }: { readonly id: string; readonly changes: RunnerGroupChanges },
): Promise<boolean> {
  const { name = null, owner_id = null, owner_type = null, platform = null } = changes;
  const isOther = db`
    (g.name, g.owner_id, g.owner_type, g.platform) is distinct from
    (coalesce(${name}, g.name), coalesce(${owner_id}, g.owner_id), coalesce(${owner_type}, g.owner_type),
     coalesce(${platform}, g.platform))`;
  const rows = await db`
    with old as (
      select id, platform from runner_groups
       where org_id = ${org} and id = ${id} and deleted_at is null for no key update
    ), g as (
      update runner_groups g
         set name = coalesce(${name}, g.name), owner_id = coalesce(${owner_id}, g.owner_id),
             owner_type = coalesce(${owner_type}, g.owner_type),
             platform = coalesce(${platform}, g.platform), version = g.version + (${isOther})::int,
             updated_at = case when ${isOther} then svc_now() else g.updated_at end
        from old where g.id = old.id
      returning g.id, g.platform <> old.platform as has_moved
    ), s as (
      update runner_group_settings s set version = s.version + 1, updated_at = svc_now()
        from g where s.runner_group_id = g.id and g.has_moved
    )
    select id from g`;
  return rows.length > 0;
}

/** Deletes a group without runners: done, not-found or in-use. */
export async function deleteGroupRow(db: Db, org: OrgId, id: string): Promise<string> {
  const [row] = await db<{ outcome: string }[]>`
    select delete_runner_group(${org}, ${id}) as outcome`;
  return row?.outcome ?? "not-found";
}

/** The settings of a group that is not deleted. */
export async function findGroupSettings(
  db: Db,
  org: OrgId,
  groupId: string,
): Promise<SettingsWithPlatform | undefined> {
  const [row] = await db<SettingsWithPlatform[]>`
    select s.*, g.platform
      from runner_group_settings s join runner_groups g on g.id = s.runner_group_id
     where s.org_id = ${org} and s.runner_group_id = ${groupId} and g.deleted_at is null`;
  return row;
}

/** The settings that a runner works by. */
export async function findRunnerSettings(
  db: Db,
  org: OrgId,
  runnerId: string,
): Promise<SettingsWithPlatform | undefined> {
  const [row] = await db<SettingsWithPlatform[]>`
    select s.*, g.platform
      from runners u
      join runner_groups g on g.id = u.runner_group_id
      join runner_group_settings s on s.runner_group_id = g.id
     where u.org_id = ${org} and u.id = ${runnerId} and u.lifecycle <> 'deleted'`;
  return row;
}

/** Writes the version after `version`, and everything that follows from it for the group's runners. */
export async function writeSettings(
  db: Db,
  org: OrgId,
  next: { readonly groupId: string; readonly version: number; readonly settings: StoredSettings },
): Promise<RunnerChange | undefined> {
  const [row] = await db<RunnerChange[]>`
    select * from write_runner_settings(${org}, ${next.groupId}, ${next.version},
                                        ${JSON.stringify(next.settings)}::text::jsonb)`;
  return row;
}
