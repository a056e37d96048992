import type { NewRegistryLogin, RegistryLogin } from "../../shared/api/registry-logins.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { SealedThing, Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { registryLoginRows } from "./registry-login-rows.ts";

/** As what a password is sealed: one that is moved to another use does not open. */
export const registryLoginThing = (orgId: string, use: string): SealedThing => ({
  orgId,
  id: use,
  part: "registry-login",
});

/** Sets the org's login of a use; one that there is is replaced. */
export async function setRegistryLogin(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  { use, username, password }: NewRegistryLogin,
): Promise<RegistryLogin> {
  const { keyId, bytes } = seals.seal(registryLoginThing(orgId, use), Buffer.from(password));
  const [made] = await db<{ id: string }[]>`
    insert into registry_fixed_logins (id, org_id, use, username, key_id, password, created_by_id)
    values (${newId("rgl")}, ${orgId}, ${use}, ${username}, ${keyId}, ${bytes}, ${actorId})
        on conflict (org_id, use) do update
           set username = excluded.username, key_id = excluded.key_id, password = excluded.password, updated_at = svc_now()
    returning id`;
  const which = { registry_login_id: made?.id ?? "" };
  const row = await registryLoginRows.find(db, orgId, which);
  if (row === undefined) throw problem.notFound("registry login"); // it was deleted meanwhile
  return registryLoginRows.toItem(row);
}

/** Deletes a login and its password; 404 when there is none. Answers what it was. */
export async function deleteRegistryLogin(
  db: Db,
  org: OrgId,
  which: { readonly registry_login_id: string },
): Promise<RegistryLogin> {
  const row = await registryLoginRows.find(db, org, which);
  if (row === undefined) throw problem.notFound("registry login");
  await db`
    delete from registry_fixed_logins f where f.org_id = ${org} and f.id = ${which.registry_login_id}`;
  return registryLoginRows.toItem(row);
}
