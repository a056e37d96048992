import type { SecretPlaceInput } from "../../shared/api/install-secrets.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { installSecretRows } from "./install-secret-rows.ts";

type Draft = SecretPlaceInput & {
  readonly id: string;
  readonly name: string;
  readonly created_by_id: string;
};
type Row = NonNullable<Awaited<ReturnType<typeof installSecretRows.find>>>;

/** Writes a secret's place: created, replaced (its id), not-found (the install) or full (it has `most`). */
export async function writeInstallSecret(
  db: Db,
  org: OrgId,
  install: string,
  { draft, most }: { readonly draft: Draft; readonly most: number },
): Promise<{ readonly outcome: string; readonly id: string | null } | undefined> {
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from set_install_secret(${org}, ${install}, ${JSON.stringify(draft)}::text::json, ${most})`;
  return row;
}

/** What was there to delete. */
export async function deleteInstallSecretRow(
  db: Db,
  org: OrgId,
  { install, name }: { readonly install: string; readonly name: string },
): Promise<Row | undefined> {
  const [row] = await db<Row[]>`
    delete from install_secrets s
     where s.org_id = ${org} and s.install_id = ${install}
       and replace(s.name, '-', '_') = replace(${name}::text, '-', '_')
       and exists (select from installs i where i.org_id = s.org_id and i.id = s.install_id and i.deleted_at is null)
    returning s.*`;
  return row;
}
