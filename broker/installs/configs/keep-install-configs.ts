import type { InstallConfigInput } from "../../../shared/api/install-config.ts";
import { problem } from "../../../shared/problem.ts";
import { readDocument } from "../../app-configs/show-configs.ts";
import type { Db } from "../../database/connect.ts";
import { newId } from "../../database/new-id.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Actor } from "../../tokens/actor.ts";
import { requireInstall } from "../keep-installs.ts";
import { checkToggles } from "./check-toggles.ts";
import { insertInstallConfig, writeInstallConfig } from "./queries.ts";

/** Puts another config of an install in force; answers its id. */
export async function createInstallConfig(
  db: Db,
  actor: Pick<Actor, "id" | "orgId">,
  { installId, given }: { readonly installId: string; readonly given: InstallConfigInput },
): Promise<string> {
  await requireFitting(db, actor.orgId, { installId, given });
  const id = newId("inc");
  const draft = { ...given, id, created_by_id: actor.id };
  const outcome = await insertInstallConfig(db, actor.orgId, { installId, draft });
  if (outcome === "not-found") throw problem.notFound("install");
  return id;
}

/** Changes the config of an install that is in force; 412 when it has another version than the one given. */
export async function changeInstallConfig(
  db: Db,
  { id: byId, orgId: org }: Pick<Actor, "id" | "orgId">,
  {
    installId,
    id,
    version,
    given,
  }: {
    readonly installId: string;
    readonly id: string;
    readonly version: number | undefined;
    readonly given: InstallConfigInput;
  },
): Promise<void> {
  await requireFitting(db, org, { installId, given });
  const wanted = { installId, id, version, changes: { ...given, by_id: byId } };
  const outcome = await writeInstallConfig(db, org, wanted);
  if (outcome === "not-found") throw problem.notFound("install");
  if (outcome === "none") throw problem.notFound("install config");
  if (outcome === "replaced")
    throw problem.conflict(
      "config_replaced",
      "This is not the install's current config: that is the first in the list.",
    );
  if (outcome === "stale")
    throw problem.preconditionFailed(
      "The config was changed in the meantime. Read it and try again.",
    );
}

/** Refuses what does not fit the config of the app that the install has, or is to have. */
export async function requireFitting(
  db: Db,
  org: OrgId,
  {
    installId,
    given,
    at = "#",
  }: {
    readonly installId: string;
    readonly given: InstallConfigInput;
    readonly at?: "#" | "#/install_config";
  },
): Promise<void> {
  const install = await requireInstall(db, org, installId);
  if (given.component_toggles == null) return;
  const configId = install.applied_config_id ?? install.expected_config_id;
  const config = await readDocument(db, org, configId);
  checkToggles(config, given.component_toggles, `${at}/component_toggles`);
}
