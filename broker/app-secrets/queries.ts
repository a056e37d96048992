import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed } from "../seals/seals.ts";
import type { AppSecretRow } from "./row.ts";

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

/** A secret without its value. */
export async function findAppSecret(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
): Promise<AppSecretRow | undefined> {
  const [row] = await db<AppSecretRow[]>`
    select ${columns(db)} from app_secrets s where s.org_id = ${org} and s.app_id = ${app} and s.id = ${id}`;
  return row;
}

/** An app's secrets without their values, the newest first; by its name one. */
export async function listAppSecrets(
  db: Db,
  org: OrgId,
  app: string,
  {
    filter: { name, ...created },
    after,
    limit,
    offset,
  }: ListRequest & { readonly filter: CreatedFilter & { readonly name?: string | undefined } },
): Promise<(AppSecretRow & { readonly sort_key: string })[]> {
  return db<(AppSecretRow & { sort_key: string })[]>`
    select ${columns(db)}, s.created_at::text as sort_key from app_secrets s
     where s.org_id = ${org} and s.app_id = ${app} and s.id < ${after?.id ?? "~"}
       ${name === undefined ? db`` : db`and replace(s.name, '-', '_') = replace(${name}, '-', '_')`}
       ${createdWithin(db, db`s.created_at`, created)}
     order by s.id desc limit ${limit} offset ${offset}`;
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

function columns(db: Db) {
  return db`s.id, s.org_id, s.app_id, s.name, s.length, s.created_at, s.updated_at, s.created_by_id`;
}
