import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import { labelledBy, type LabelQuery } from "../labels/label-query.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { within } from "../tokens/bound/within.ts";
import type { InstallConfigRow } from "./configs/row.ts";
import type { InstallRow } from "./install-row.ts";

/** A config as it is read with its install: its instants are texts. */
export type StoredConfig = Omit<InstallConfigRow, "created_at" | "updated_at"> & {
  readonly created_at: string;
  readonly updated_at: string;
};
/** An install with what the API shows besides its row. */
export type ShownRow = InstallRow & {
  readonly expected_config_id: string | null;
  readonly runner_status: string;
  readonly runner_status_description: string;
  readonly config: StoredConfig | null;
  readonly queues: readonly { readonly id: string; readonly name: string }[];
};

export type InstallFilter = CreatedFilter & {
  readonly appId?: string | undefined;
  readonly name?: string | undefined;
  readonly q?: string | undefined;
  readonly phase?: string | undefined;
  readonly labels?: LabelQuery | undefined;
};
type InstallsWanted = ListRequest & {
  readonly filter: InstallFilter;
  /** Of a token that is bound: only what it reaches. */
  readonly bound?: Bound | null;
};

/** Writes an install: created, or why not. */
export async function insertInstall(
  db: Db,
  org: OrgId,
  draft: object,
  most: number,
): Promise<{ readonly outcome: string; readonly id: string | null } | undefined> {
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from create_install(${org}, ${JSON.stringify(draft)}::text::jsonb, ${most})`;
  return row;
}

/** An install that is not deleted. */
export async function findInstall(db: Db, org: OrgId, id: string): Promise<ShownRow | undefined> {
  const [row] = await db<ShownRow[]>`
    select ${columns(db)} from ${tables(db)}
     where i.org_id = ${org} and i.id = ${id} and i.deleted_at is null`;
  return row;
}

/** Installs that pass the filter, the newest first. Ids begin with their time: they are the order. */
export async function listInstalls(
  db: Db,
  org: OrgId,
  { filter, bound, after, limit, offset }: InstallsWanted,
): Promise<(ShownRow & { readonly sort_key: string })[]> {
  const { appId, name, q, phase, labels } = filter;
  return db<(ShownRow & { sort_key: string })[]>`
    select ${columns(db)}, i.created_at::text as sort_key from ${tables(db)}
     where i.org_id = ${org} and i.deleted_at is null and i.id < ${after?.id ?? "~"}
       ${within(db, "installs", bound)}
       ${appId === undefined ? db`` : db`and i.app_id = ${appId}`}
       ${name === undefined ? db`` : db`and i.name = ${name}`}
       ${q === undefined ? db`` : db`and strpos(lower(i.name), ${q.toLowerCase()}) > 0`}
       ${phase === undefined ? db`` : db`and i.lifecycle_phase = ${phase}`}
       ${labelledBy(db, db`i.labels`, labels)}
       ${createdWithin(db, db`i.created_at`, filter)}
     order by i.id desc limit ${limit} offset ${offset}`;
}

function columns(db: Db) {
  return db`
    i.*, a.active_config_id as expected_config_id, u.status as runner_status, u.status_description as runner_status_description,
    (select to_jsonb(c) from install_configs c where c.org_id = i.org_id and c.install_id = i.id order by c.id desc limit 1) as config,
    (select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name) order by q.id), '[]')
       from queues q where q.org_id = i.org_id and q.owner_type = 'installs' and q.owner_id = i.id and q.deleted_at is null) as queues`;
}

function tables(db: Db) {
  return db`
    installs i
    join apps a on a.org_id = i.org_id and a.id = i.app_id
    join runners u on u.org_id = i.org_id and u.id = i.runner_id`;
}

/** Changes an install: changed, not-found, stale or taken (the name). */
export async function writeInstall(
  db: Db,
  org: OrgId,
  {
    id,
    version,
    changes,
  }: { readonly id: string; readonly version: number | undefined; readonly changes: object },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select change_install(${org}, ${id}, ${version ?? null}, ${JSON.stringify(changes)}::text::jsonb) as outcome`;
  return row?.outcome;
}

/** Sets and removes labels: changed, not-found, locked or too-many; `keys` are those that are locked. */
export async function writeLabels(
  db: Db,
  org: OrgId,
  {
    id,
    labels,
    removed,
  }: {
    readonly id: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly removed: readonly string[];
  },
): Promise<{ readonly outcome: string; readonly keys: readonly string[] } | undefined> {
  const [row] = await db<{ outcome: string; keys: string[] }[]>`
    select * from change_install_labels(${org}, ${id}, ${JSON.stringify(labels)}::text::jsonb, ${[...removed]})`;
  return row;
}

/** Deletes the records of an install: forgotten, not-found or open (workflows of it are). */
export async function forgetInstallRow(
  db: Db,
  org: OrgId,
  id: string,
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`select forget_install(${org}, ${id}) as outcome`;
  return row?.outcome;
}

type ToUpdate = {
  readonly app: string;
  readonly configId: string;
  readonly bound: Bound | null;
  readonly ids?: readonly string[];
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Installs of an app by their ids, and whether each has a config or is on its way to it. */
export async function listToUpdate(
  db: Db,
  org: OrgId,
  { app, configId, bound, ids, after, limit }: ToUpdate,
): Promise<{ readonly id: string; readonly is_there: boolean }[]> {
  return db<{ id: string; is_there: boolean }[]>`
    select i.id,
           (i.applied_config_id is not distinct from ${configId}
            and not exists (select from workflows w
                             where w.owner_id = i.id and w.status not in ('success', 'error', 'cancelled')
                               and w.type = 'app_branch_config_update'))
           or exists (select from workflows w
                       where w.owner_id = i.id and w.status not in ('success', 'error', 'cancelled')
                         and w.type = 'app_branch_config_update' and w.params ->> 'app_config_id' = ${configId}
                         and not w.is_cancelling) as is_there
      from installs i
     where i.org_id = ${org} and i.app_id = ${app} and i.deleted_at is null and i.id > ${after ?? ""}
       ${within(db, "installs", bound)}
       ${ids === undefined ? db`` : db`and i.id = any(${[...ids]}::text[])`}
     order by i.id limit ${limit}`;
}
