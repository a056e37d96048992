import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed } from "../seals/seals.ts";

/** A secret that is to be stored, without its value. */
export type SecretDraft = {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly created_by_id: string;
};

/** Writes a secret's value: created, replaced (its id), not-found (the app) or full (the app has `most`). */
export async function writeAppSecret(
  db: Db,
  org: OrgId,
  app: string,
  { draft, value, most }: { readonly draft: SecretDraft; readonly value: Sealed; most: number },
): Promise<{ readonly outcome: string; readonly id: string | null } | undefined> {
  const secret = JSON.stringify({ ...draft, key_id: value.keyId });
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from set_app_secret(${org}, ${app}, ${secret}::text::json, ${value.bytes}, ${most})`;
  return row;
}

/** Whether there was one to delete. */
export async function deleteAppSecretRow(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
): Promise<boolean> {
  const gone = await db`
    delete from app_secrets s where s.org_id = ${org} and s.app_id = ${app} and s.id = ${id}`;
  return gone.count > 0;
}
