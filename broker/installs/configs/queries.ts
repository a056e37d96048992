import type { Db } from "../../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../../database/created-within.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { labelledBy, type LabelQuery } from "../../labels/label-query.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { InstallConfigRow } from "./row.ts";

type Wanted = ListRequest & {
  readonly installId: string;
  readonly filter: CreatedFilter & { readonly labels: LabelQuery };
};

/** Configs of an install, the one in force first. Ids begin with their time: they are the order. */
export async function listInstallConfigs(
  db: Db,
  org: OrgId,
  { installId, filter, after, limit, offset }: Wanted,
): Promise<(InstallConfigRow & { readonly sort_key: string })[]> {
  return db<(InstallConfigRow & { sort_key: string })[]>`
    select c.*, c.created_at::text as sort_key from install_configs c
     where c.org_id = ${org} and c.install_id = ${installId} and c.id < ${after?.id ?? "~"}
       ${labelledBy(db, db`c.labels`, filter.labels)}
       ${createdWithin(db, db`c.created_at`, filter)}
     order by c.id desc limit ${limit} offset ${offset}`;
}

/** A config of this install. */
export async function findInstallConfig(
  db: Db,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<InstallConfigRow | undefined> {
  const [row] = await db<InstallConfigRow[]>`
    select c.* from install_configs c
     where c.org_id = ${org} and c.install_id = ${installId} and c.id = ${id}`;
  return row;
}

/** Puts a config in force: created or not-found (the install). */
export async function insertInstallConfig(
  db: Db,
  org: OrgId,
  { installId, draft }: { readonly installId: string; readonly draft: object },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select add_install_config(${org}, ${installId}, ${JSON.stringify(draft)}::text::jsonb) as outcome`;
  return row?.outcome;
}

/** Changes a config: changed, not-found (the install), none (the config), replaced or stale. */
export async function writeInstallConfig(
  db: Db,
  org: OrgId,
  {
    installId,
    id,
    version,
    changes,
  }: {
    readonly installId: string;
    readonly id: string;
    readonly version: number | undefined;
    readonly changes: object;
  },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select change_install_config(${org}, ${installId}, ${id}, ${version ?? null}, ${JSON.stringify(changes)}::text::jsonb) as outcome`;
  return row?.outcome;
}
