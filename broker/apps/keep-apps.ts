import type { AppChanges, apps, NewApp } from "../../shared/api/app.ts";
import { problem } from "../../shared/problem.ts";
import type { RowOf } from "../../shared/resources/members.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { appRows } from "./app-rows.ts";
import { deleteAppRow, insertApp, writeApp } from "./queries.ts";

const mostOfOrg = 1000;

/** Creates an app, or finds the one of this name that says the same of itself; 409 for a name that another one has. */
export async function createApp(
  db: Db,
  actor: Pick<Actor, "id" | "orgId">,
  given: NewApp,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const draft = { ...given, id: newId("app"), created_by_id: actor.id };
  await requireFreeName(db, actor.orgId, { kind: "app", name: draft.name });
  const made = await insertApp(db, actor.orgId, draft, mostOfOrg);
  if (made?.outcome === "taken") throw nameTaken();
  if (made?.outcome === "full") {
    const detail = `This org has ${mostOfOrg} apps, which is the limit. Delete some that are no longer needed.`;
    throw problem.conflict("too_many_apps", detail);
  }
  return { id: made?.id ?? draft.id, isNew: made?.outcome === "created" };
}

/** Changes an app; 412 when it has another version than the one given. */
export async function updateApp(
  db: Db,
  org: OrgId,
  to: { readonly id: string; readonly version: number | undefined; readonly changes: AppChanges },
): Promise<void> {
  await requireFreeName(db, org, { kind: "app", name: to.changes.name, there: { id: to.id } });
  const outcome = await writeApp(db, org, to);
  if (outcome === "not-found") throw problem.notFound("app");
  if (outcome === "taken") throw nameTaken();
  if (outcome === "stale")
    throw problem.preconditionFailed("The app was changed in the meantime. Read it and try again.");
}

/** Deletes an app, whose name is free again; 409 while it has installs. */
export async function deleteApp(db: Db, org: OrgId, id: string): Promise<void> {
  const done = await deleteAppRow(db, org, id);
  if (done?.outcome === "not-found") throw problem.notFound("app");
  if (done?.outcome !== "held") return;
  const detail = "This app has installs. Delete them first: svc install list.";
  throw problem.conflict("app_has_installs", detail, { install_ids: done.ids });
}

/** The app; 404 when there is none. */
export async function requireApp(
  db: Db,
  org: OrgId,
  id: string,
): Promise<RowOf<(typeof apps)["members"]>> {
  const row = await appRows.find(db, org, { app_id: id });
  if (row === undefined) throw problem.notFound("app");
  return row;
}

const nameTaken = (): Error =>
  problem.conflict("name_taken", "This org already has an app of this name (- and _ are equal).");
