import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  deleteNamedRow,
  type NamedChange,
  type NamedKind,
  type WhichNamed,
  writeNamedPart,
} from "./named-part-queries.ts";
import { oneOf } from "./show-named-parts.ts";

const withArticle = { actions: "An action", components: "A component", runbooks: "A runbook" };

/** Changes the name or labels of what an app has by name; nothing changes where one of them is refused. */
export async function updateNamedPart(
  db: Db,
  org: OrgId,
  which: WhichNamed,
  change: NamedChange,
): Promise<void> {
  const { kind, id } = which;
  const naming = { kind: oneOf[kind], name: change.name, there: { id } } as const;
  await requireFreeName(db, org, naming);
  const done = await writeNamedPart(db, org, which, change);
  if (done?.outcome === "not-found") throw problem.notFound(oneOf[kind]);
  if (done?.outcome === "held") throw inUse(kind, done.told);
  if (done?.outcome === "taken") {
    const detail = `This app has ${withArticle[kind].toLowerCase()} of this name (- and _ are equal).`;
    throw problem.conflict("name_taken", detail);
  }
  const pointer = change.removed === undefined ? "#/labels" : "#/keys";
  requireLabelled(kind, { outcome: done?.outcome, keys: done?.told.join(", ") ?? "" }, pointer);
}

type Labelled = { readonly outcome: string | undefined; readonly keys: string };

/** Refuses labels that were not set: too-many, or locked, with their keys. */
export function requireLabelled(
  kind: NamedKind,
  { outcome, keys }: Labelled,
  pointer: "#/labels" | "#/keys" = "#/labels",
): void {
  if (outcome === "too-many") {
    const detail = `${withArticle[kind]} may have 64 labels. Remove some first.`;
    throw problem.conflict("too_many_labels", detail);
  }
  if (outcome !== "locked") return;
  const detail = `The active config gives these labels, so they are locked: ${keys}.`;
  throw problem.invalid([{ pointer, code: "label_locked", detail }]);
}

/** Deletes what an app has by name, which is free again; what was made of it stays. 409 while a config in force has it. */
export async function deleteNamedPart(db: Db, org: OrgId, which: WhichNamed): Promise<void> {
  const done = await deleteNamedRow(db, org, which);
  if (done?.outcome === "not-found") throw problem.notFound(oneOf[which.kind]);
  if (done?.outcome === "held") throw inUse(which.kind, done.told);
}

const inUseCodes = {
  actions: "action_in_use",
  components: "component_in_use",
  runbooks: "runbook_in_use",
} as const satisfies Record<NamedKind, string>;

function inUse(kind: NamedKind, holders: readonly string[]): Error {
  const detail = `This ${oneOf[kind]} is in use by the app's active config or by an install's config. Sync a config without it, then update the installs to that config.`;
  return problem.conflict(inUseCodes[kind], detail, {
    app_config_ids: holders.filter((id) => id.startsWith("cfg_")),
    install_ids: holders.filter((id) => id.startsWith("ins_")),
  });
}
