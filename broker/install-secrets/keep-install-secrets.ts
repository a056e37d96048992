import type { InstallSecret, SecretPlaceInput } from "../../shared/api/install-secrets.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { installSecretRows } from "./install-secret-rows.ts";
import { deleteInstallSecretRow, writeInstallSecret } from "./queries.ts";

const mostOfInstall = 500;

/** Which secret of which install. */
type Which = { readonly install: string; readonly name: string };

/** Says where a secret of an install is; what was said before is replaced. */
export async function setInstallSecret(
  db: Db,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  { install, name }: Which,
  place: SecretPlaceInput,
): Promise<InstallSecret> {
  const draft = { id: newId("ise"), name, created_by_id: actorId, ...place };
  const made = await writeInstallSecret(db, orgId, install, { draft, most: mostOfInstall });
  if (made?.outcome === "not-found") throw problem.notFound("install");
  if (made?.outcome === "full") {
    const detail = `This install has ${mostOfInstall} secrets, which is the limit. Delete some that are no longer needed.`;
    throw problem.conflict("too_many_secrets", detail);
  }
  const which = { install_id: install, install_secret_id: made?.id ?? draft.id };
  const row = await installSecretRows.find(db, orgId, which);
  if (row === undefined) throw problem.notFound("install secret"); // it was deleted meanwhile
  return installSecretRows.toItem(row);
}

/** Forgets where a secret is, and tells what was known; 404 when nothing was. */
export async function deleteInstallSecret(
  db: Db,
  org: OrgId,
  which: Which,
): Promise<InstallSecret> {
  const row = await deleteInstallSecretRow(db, org, which);
  if (row === undefined) throw problem.notFound("install secret");
  return installSecretRows.toItem(row);
}
