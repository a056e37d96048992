import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";

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
       ${boundTo(db, "installs", bound)}
       ${ids === undefined ? db`` : db`and i.id = any(${[...ids]}::text[])`}
     order by i.id limit ${limit}`;
}
