import type { ConfigFault } from "../../shared/app-config/config-fault.ts";
import { type ConfigChange, diffConfigs } from "../../shared/app-config/diff-configs.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { toConfigDraft } from "./config-draft.ts";
import { activateConfig } from "./queries.ts";
import { type ConfigSource, otherApp, requireValid } from "./require-valid.ts";
import { readDocument } from "./show-configs.ts";

type Sync = {
  readonly app: string;
  readonly source: ConfigSource;
  readonly base: string | undefined;
  readonly cliVersion: string;
};
type Synced = {
  readonly id: string;
  readonly isNew: boolean;
  readonly warnings: readonly ConfigFault[];
};

/** Makes a config the app's active one; the one that is active already stays. 422 with all that is wrong in it. */
export async function syncAppConfig(
  db: Db,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  { app, source, base, cliVersion }: Sync,
): Promise<Synced> {
  await requireApp(db, orgId, app);
  const { config, warnings } = await requireValid(source);
  const draft = toConfigDraft(config, { id: newId("cfg"), cliVersion, actorId });
  const made = await activateConfig(db, orgId, app, { draft, base });
  if (made?.outcome === "not-found") throw problem.notFound("app");
  if (made?.outcome === "other-app") throw otherApp(made.id ?? "");
  if (made?.outcome === "changed") throw configChanged(made.id);
  return { id: made?.id ?? draft.id, isNew: made?.outcome === "created", warnings };
}

/** What a sync would change; nothing is stored. */
export async function previewAppConfig(
  db: Db,
  org: OrgId,
  { app, source, base }: Omit<Sync, "cliVersion">,
): Promise<{
  readonly checksum: string;
  readonly changes: ConfigChange[];
  readonly warnings: readonly ConfigFault[];
}> {
  const row = await requireApp(db, org, app);
  const { config, warnings } = await requireValid(source);
  if (nameKey(config.document.metadata.name) !== nameKey(row.name)) throw otherApp(row.name);
  const active = row.active_config_id;
  const before = await readDocument(db, org, active);
  const changes = diffConfigs(before, config.document);
  if (base !== undefined && base !== active && changes.length > 0) throw configChanged(active);
  return { checksum: config.checksum, changes, warnings };
}

const configChanged = (active: string | null): Error =>
  problem.conflict(
    "config_changed",
    "Another config is active than the one that this was made from.",
    {
      active_config_id: active,
    },
  );
