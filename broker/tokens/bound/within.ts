import type postgres from "postgres";
import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { isOfInstall } from "../../plan-scope/find-foreign.ts";
import type { Bound } from "./bound.ts";

type Condition = (db: Db, bound: Bound) => postgres.Fragment;

/** What a bound token can reach, by its table: the name that queries give a row, and whether it is one of these. */
const things = {
  apps: { as: "a", is: (db, { type, id }) => (type === "apps" ? db`a.id = ${id}` : db`false`) },
  installs: { as: "i", is: (db, bound) => isOwn(db, "i", bound) },
  workflows: {
    as: "w",
    is: (db, bound) => db`
      (w.owner_type = 'installs' and ${ofOwnInstall(db, "w", bound)}
       ${bound.type === "apps" ? db`or w.owner_type = 'apps' and w.owner_id = ${bound.id}` : db``})`,
  },
  component_builds: {
    as: "b",
    is: (db, { type, id }) => (type === "apps" ? db`b.app_id = ${id}` : db`false`),
  },
  policy_reports: {
    as: "r",
    is: (db, { type, id }) => (type === "apps" ? db`r.app_id = ${id}` : db`r.install_id = ${id}`),
  },
  install_deploys: { as: "d", is: (db, bound) => ofThisInstall(db, "d", bound) },
  runner_groups: { as: "g", is: (db, bound) => ofOwnGroup(db, db`g.id`, bound) },
  runners: { as: "u", is: (db, bound) => ofOwnGroup(db, db`u.runner_group_id`, bound) },
  runner_jobs: { as: "j", is: (db, bound) => ofOwnRunner(db, "j", bound) },
  log_streams: { as: "s", is: (db, bound) => ofOwnRunner(db, "s", bound) },
  terraform_workspaces: { as: "w", is: (db, bound) => isOwnersThing(db, "w", bound) },
  helm_charts: { as: "c", is: (db, bound) => isOwnersThing(db, "c", bound) },
  helm_releases: {
    as: "r",
    is: (db, bound) => db`
      exists (select from helm_charts c
               where c.org_id = r.org_id and c.id = r.helm_chart_id and ${isOwnersThing(db, "c", bound)})`,
  },
} as const satisfies Record<string, { readonly as: string; readonly is: Condition }>;
export type Thing = keyof typeof things;

/** Narrows a list to what a bound token reaches; nothing for any other caller. The row has the name that `things` says. */
export function boundTo(db: Db, thing: Thing, bound: Bound | null | undefined): postgres.Fragment {
  return bound ? db`and ${things[thing].is(db, bound)}` : db``;
}

/** Whether a bound token reaches the thing of this id. */
export async function isWithin(
  db: Db,
  org: OrgId,
  { thing, id, bound }: { readonly thing: Thing; readonly id: string; readonly bound: Bound },
): Promise<boolean> {
  const { as, is } = things[thing];
  const row = db(as);
  const rows =
    thing === "log_streams" // a job's is there before anything is written to it
      ? db`find_log_streams(array[${org}::text], array[${id}::text])`
      : db`${db(thing)}`;
  const [found] = await db<{ id: string }[]>`
    select ${row}.id from ${rows} ${row}
     where ${row}.org_id = ${org} and ${row}.id = ${id} and ${is(db, bound)}`;
  return found !== undefined;
}

/** Those of these ids that are of a workspace or a chart which a bound token does not reach. */
export async function listForeign(
  db: Db,
  org: OrgId,
  { ids, bound }: { readonly ids: readonly string[]; readonly bound: Bound },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select w.id from terraform_workspaces w
     where w.org_id = ${org} and w.id = any(${[...ids]}::text[]) and not ${isOwnersThing(db, "w", bound)}
    union all
    select c.id from helm_charts c
     where c.org_id = ${org} and c.id = any(${[...ids]}::text[]) and not ${isOwnersThing(db, "c", bound)}`;
  return rows.map(({ id }) => id);
}

function isOwn(db: Db, install: string, { type, id }: Bound): postgres.Fragment {
  return type === "apps" ? db`${db(install)}.app_id = ${id}` : db`${db(install)}.id = ${id}`;
}

function ofOwnInstall(db: Db, owned: string, bound: Bound): postgres.Fragment {
  return db`
    exists (select from installs own
             where own.org_id = ${db(owned)}.org_id and own.id = ${db(owned)}.owner_id and ${isOwn(db, "own", bound)})`;
}

function ofThisInstall(db: Db, made: string, bound: Bound): postgres.Fragment {
  return db`
    exists (select from installs own
             where own.org_id = ${db(made)}.org_id and own.id = ${db(made)}.install_id and ${isOwn(db, "own", bound)})`;
}

function isOwnersThing(db: Db, owned: string, bound: Bound): postgres.Fragment {
  return db`(${isOfInstall(db, owned)} and ${ofOwnInstall(db, owned, bound)})`;
}

/** A group is of the install that has it now: who had it before reaches it no more. */
function ofOwnGroup(db: Db, group: postgres.Fragment, bound: Bound): postgres.Fragment {
  return db`
    exists (select from installs own
             where own.runner_group_id = ${group} and own.deleted_at is null and ${isOwn(db, "own", bound)})`;
}

/** What its runner did since that is the install's; what the runner did for another before is not its. */
function ofOwnRunner(db: Db, made: string, bound: Bound): postgres.Fragment {
  return db`
    exists (select from runners ru join installs own on own.runner_group_id = ru.runner_group_id
             where ru.org_id = ${db(made)}.org_id and ru.id = ${db(made)}.runner_id and own.deleted_at is null
               and ${db(made)}.created_at >= own.created_at and ${isOwn(db, "own", bound)})`;
}
