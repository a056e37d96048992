import type { Install, InstallChanges } from "../../shared/api/install.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  findInstall,
  forgetInstallRow,
  type ShownRow,
  writeInstall,
  writeLabels,
} from "./queries.ts";
import { toInstall } from "./to-install.ts";

/** The install; 404 when there is none. */
export async function requireInstall(db: Db, org: OrgId, id: string): Promise<ShownRow> {
  const row = await findInstall(db, org, id);
  if (row === undefined) throw problem.notFound("install");
  return row;
}

/** One install as a read shows it, and its version. */
export async function showInstall(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly install: Install; readonly version: number }> {
  const row = await requireInstall(db, org, id);
  return { install: toInstall(row), version: row.version };
}

/** Changes an install; 412 when it has another version than the one given. */
export async function updateInstall(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly version: number | undefined;
    readonly changes: InstallChanges;
  },
): Promise<void> {
  const outcome = await writeInstall(db, org, to);
  if (outcome === "not-found") throw problem.notFound("install");
  if (outcome === "taken")
    throw problem.conflict("name_taken", "This app has an install of this name already.");
  if (outcome === "stale")
    throw problem.preconditionFailed("The install was changed meanwhile. Read it and try again.");
}

/** Sets and removes labels; 422 `label_locked` for those that the app gives, and nothing changes. */
export async function changeLabels(
  db: Db,
  org: OrgId,
  change: {
    readonly id: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly removed: readonly string[];
  },
): Promise<void> {
  const made = await writeLabels(db, org, change);
  if (made?.outcome === "not-found") throw problem.notFound("install");
  if (made?.outcome === "too-many")
    throw problem.conflict("too_many_labels", "An install may have 64 labels. Remove some first.");
  if (made?.outcome !== "locked") return;
  const names = made.keys.join(", ");
  const detail = `The app gives these labels, so they are locked: ${names}.`;
  const isRemoval = change.removed.length > 0;
  throw problem.invalid([
    { pointer: isRemoval ? "#/keys" : "#/labels", code: "label_locked", detail },
  ]);
}

/** Deletes an install's records, and nothing that runs in the customer's account; 409 while workflows of it are open. */
export async function forgetInstall(
  db: Db,
  org: OrgId,
  { id, confirm }: { readonly id: string; readonly confirm: string },
): Promise<Install> {
  const row = await requireInstall(db, org, id);
  if (confirm !== row.name)
    throw problem.conflict("unconfirmed", "`confirm` must be the install's name.");
  const outcome = await forgetInstallRow(db, org, id);
  if (outcome === "not-found") throw problem.notFound("install");
  if (outcome === "open") throw workflowOpen();
  return toInstall(row);
}

/** The refusal of a change while another one is open. */
export const workflowOpen = (): Error =>
  problem.conflict(
    "workflow_open",
    "A workflow of this install is open. Wait for its end, or cancel it: svc workflow list.",
  );
