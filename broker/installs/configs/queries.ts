import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";

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
