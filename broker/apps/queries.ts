import type { AppChanges, NewApp } from "../../shared/api/app.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Writes an app: created, same (its id), taken (the name) or full (the org has `most`). */
export async function insertApp(
  db: Db,
  org: OrgId,
  app: NewApp & { readonly id: string; readonly created_by_id: string },
  most: number,
): Promise<{ outcome: string; id: string | null } | undefined> {
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from create_app(${org}, ${JSON.stringify(app)}::text::json, ${most})`;
  return row;
}

/** Changes what is given: changed, not-found, stale or taken (the name). */
export async function writeApp(
  db: Db,
  org: OrgId,
  {
    id,
    version,
    changes,
  }: { readonly id: string; readonly version: number | undefined; readonly changes: AppChanges },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select change_app(${org}, ${id}, ${version ?? null}, ${JSON.stringify(changes)}::text::json) as outcome`;
  return row?.outcome;
}

/** Deletes an app: deleted, not-found or held (by the installs of these ids). */
export async function deleteAppRow(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly outcome: string; readonly ids: readonly string[] } | undefined> {
  const [row] = await db<{ outcome: string; ids: string[] }[]>`
    select * from delete_idle_app(${org}, ${id})`;
  return row;
}
