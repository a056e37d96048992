import type { NewAppSecret, AppSecret } from "../../shared/api/app-secrets.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { appSecretThing } from "../seals/reseal-app-secret.ts";
import type { Actor } from "../tokens/actor.ts";
import { appSecretRows } from "./app-secret-rows.ts";
import { deleteAppSecretRow, writeAppSecret } from "./queries.ts";

const mostOfApp = 500;

/** Sets a secret of an app; one of the same name is replaced, which is told. */
export async function setAppSecret(
  { db, seals }: Pick<Broker, "db" | "seals">,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  app: string,
  { name, value }: NewAppSecret,
): Promise<{ readonly secret: AppSecret; readonly isNew: boolean }> {
  const draft = { id: newId("sec"), name, length: value.length, created_by_id: actorId };
  const sealed = seals.seal(appSecretThing(orgId, app, name), Buffer.from(value));
  const made = await writeAppSecret(db, orgId, app, { draft, value: sealed, most: mostOfApp });
  if (made?.outcome === "not-found") throw problem.notFound("app");
  if (made?.outcome === "full") {
    const detail = `This app has ${mostOfApp} secrets, which is the limit. Delete some that are no longer needed.`;
    throw problem.conflict("too_many_secrets", detail);
  }
  const which = { app_id: app, secret_id: made?.id ?? draft.id };
  const row = await appSecretRows.find(db, orgId, which);
  if (row === undefined) throw problem.notFound("app secret"); // it was deleted meanwhile
  return { secret: appSecretRows.toItem(row), isNew: made?.outcome === "created" };
}

/** Deletes a secret and its value; 404 when there is none. */
export async function deleteAppSecret(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string },
): Promise<void> {
  if (!(await deleteAppSecretRow(db, org, which))) throw problem.notFound("app secret");
}
