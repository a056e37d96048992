import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

type Which = { readonly app: string; readonly id: string };

/** Begins a config that comes in parts; its id, or null without such an app. */
export async function insertConfig(
  db: Db,
  org: OrgId,
  app: string,
  draft: { readonly id: string; readonly created_by_id: string },
): Promise<string | null> {
  const [row] = await db<{ id: string | null }[]>`
    select begin_app_config(${org}, ${app}, ${JSON.stringify(draft)}::text::json) as id`;
  return row?.id ?? null;
}

type Part = { readonly file: string; readonly value: string; readonly by_id: string };

/** Adds parts, or replaces those of their files, all or none: added, not-found, sealed or large. */
export async function insertParts(
  db: Db,
  org: OrgId,
  { app, id }: Which,
  add: { readonly parts: readonly Part[]; readonly most: object },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select add_app_config_parts(${org}, ${app}, ${id}, ${JSON.stringify(add.parts)}::text::json,
                                ${JSON.stringify(add.most)}::text::json) as outcome`;
  return row?.outcome;
}

/** The parts of a config by their files, as JSON, and which revision of all they are. */
export async function findParts(
  db: Db,
  org: OrgId,
  { app, id }: Which,
): Promise<{ readonly revision: number; readonly parts: string } | undefined> {
  const [row] = await db<{ revision: number; parts: string }[]>`
    select c.parts_revision as revision,
           (select coalesce(json_object_agg(p.file, p.value)::text, '{}') from app_config_parts p
             where p.org_id = c.org_id and p.app_config_id = c.id) as parts
      from app_configs c where c.org_id = ${org} and c.app_id = ${app} and c.id = ${id}`;
  return row;
}

/** Seals a checked config, the JSON of its draft: active, outdated, same, not-found, sealed, moved (other parts) or other-app. */
export async function sealConfig(
  db: Db,
  org: OrgId,
  app: string,
  { draft, revision }: { readonly draft: string; readonly revision: number },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select seal_app_config(${org}, ${app}, ${draft}::text::json, ${revision}) as outcome`;
  return row?.outcome;
}

/** Ends a config as faulty: error, not-found, sealed, or moved (other parts than of this revision). */
export async function failConfig(
  db: Db,
  org: OrgId,
  { app, id }: Which,
  { told, revision }: { readonly told: string; readonly revision: number | undefined },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select fail_app_config(${org}, ${app}, ${id}, ${told}::text::json, ${revision ?? null}) as outcome`;
  return row?.outcome;
}
