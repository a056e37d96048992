import type { InstallChanges, Install } from "../../shared/api/install.ts";
import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { requireFreeName } from "../names/require-free-name.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { renderOnce } from "../rendering/render-once.ts";
import { findInstall } from "./install-rows.ts";
import { requireLabels } from "./label-templates.ts";
import { forgetInstallRow, writeInstall, writeLabels } from "./queries.ts";
import { relabel } from "./relabel.ts";
import { readingWithin } from "./state-values.ts";
import type { ReadingParts } from "./stored-values.ts";
import { type ShownRow, toInstall } from "./to-install.ts";

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

type InstallChange = {
  readonly id: string;
  readonly version: number | undefined;
  readonly changes: InstallChanges;
};

const mostTries = 10;

type Labelling = ReadingParts & Pick<Broker, "render">;

/** Changes an install; 412 when it has another version than the one given. */
export async function updateInstall(
  broker: Labelling,
  asking: Asking,
  asked: InstallChange,
): Promise<void> {
  const { withPermit, actor } = asking;
  const { label_templates: templates, install_config: config } = asked.changes;
  const install_config = config && { ...config, by_id: actor.id };
  const to = { ...asked, changes: { ...asked.changes, ...(install_config && { install_config }) } };
  const render = renderOnce(broker.render);
  const naming = { kind: "install", name: asked.changes.name, there: { id: asked.id } } as const;
  await withPermit(() => requireFreeName(broker.db, actor.orgId, naming));
  let outcome: string | undefined;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const change =
      templates === undefined ? to : await relabelled({ ...broker, render }, asking, to, templates);
    outcome = await withPermit(() => writeInstall(broker.db, actor.orgId, change));
    const isRaced = outcome === "stale" && to.version === undefined;
    if (!isRaced) break; // else it was changed between the look and the write
  }
  if (outcome === "not-found") throw problem.notFound("install");
  if (outcome === "taken")
    throw problem.conflict("name_taken", "This app already has an install of this name.");
  if (outcome === "stale")
    throw problem.preconditionFailed(
      "The install was changed in the meantime. Read it and try again.",
    );
}

/** The change with the labels that its templates give, of the version by which they were rendered. */
async function relabelled(
  { render, ...parts }: Labelling,
  { actor: { orgId }, withPermit, gone }: Asking,
  { id, version, changes }: InstallChange,
  templates: Readonly<Record<string, string>>,
) {
  const wanted = { id, templates, name: changes.name };
  const found = await withPermit(() => relabel(parts, orgId, wanted));
  const { given, values: stored } = found.order;
  const values = readingWithin(withPermit, stored);
  const rendered = await render({ orgId, name: "labels", given, values }, gone);
  const labels = found.labelsWith(requireLabels(rendered));
  return { id, version: version ?? found.version, changes: { ...changes, labels } };
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
  { id, confirm }: { readonly id: string; readonly confirm: string | undefined },
): Promise<Install> {
  const row = await requireInstall(db, org, id);
  if (confirm !== undefined && confirm !== row.name)
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
    "A workflow of this install has not finished. Wait for it, or cancel it: svc workflow list.",
  );
