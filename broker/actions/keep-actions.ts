import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type ActionChange, deleteActionRow, writeAction } from "./app-action-queries.ts";

type Which = { readonly appId: string; readonly id: string };

/** Changes an action's name or labels; nothing changes where one of them is refused. */
export async function updateAction(
  db: Db,
  org: OrgId,
  which: Which,
  change: ActionChange,
): Promise<void> {
  const naming = { kind: "action", name: change.name, there: { id: which.id } } as const;
  await requireFreeName(db, org, naming);
  const done = await writeAction(db, org, which, change);
  if (done?.outcome === "not-found") throw problem.notFound("action");
  if (done?.outcome === "held") throw inUse(done.told);
  if (done?.outcome === "taken")
    throw problem.conflict(
      "name_taken",
      "This app has an action of this name (- and _ are equal).",
    );
  if (done?.outcome === "too-many")
    throw problem.conflict("too_many_labels", "An action may have 64 labels. Remove some first.");
  if (done?.outcome !== "locked") return;
  const detail = `The active config gives these labels, so they are locked: ${done.told.join(", ")}.`;
  const pointer = change.removed === undefined ? "#/labels" : "#/keys";
  throw problem.invalid([{ pointer, code: "label_locked", detail }]);
}

/** Deletes an action, whose name is free again; its runs stay. 409 while a config in force has it. */
export async function deleteAction(db: Db, org: OrgId, which: Which): Promise<void> {
  const done = await deleteActionRow(db, org, which);
  if (done?.outcome === "not-found") throw problem.notFound("action");
  if (done?.outcome === "held") throw inUse(done.told);
}

function inUse(holders: readonly string[]): Error {
  const detail =
    "This action is in use by the app's active config or by an install's config. Sync a config without it, then update the installs to that config.";
  return problem.conflict("action_in_use", detail, {
    app_config_ids: holders.filter((id) => id.startsWith("cfg_")),
    install_ids: holders.filter((id) => id.startsWith("ins_")),
  });
}
