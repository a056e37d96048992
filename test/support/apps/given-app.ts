import { activateConfig } from "../../../broker/app-configs/queries.ts";
import { insertApp } from "../../../broker/apps/queries.ts";
import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { checkConfigDocument } from "../../../shared/app-config/check-config.ts";

/** An app with an active config of one action. */
export async function givenApp(
  db: Db,
  { orgId, name = "shop" }: { readonly orgId: OrgId; readonly name?: string },
): Promise<{ readonly appId: string; readonly configId: string }> {
  const app = { id: newId("app"), name, display_name: "", description: "", created_by_id: "" };
  const made = await insertApp(db, orgId, app, 1000);
  if (made?.outcome !== "created")
    throw new Error(`create_app answered ${made?.outcome ?? "nothing"}`);
  const { config } = await checkConfigDocument(documentOf(name));
  if (config === undefined) throw new Error("the config of tests is not valid");
  const draft = {
    id: newId("cfg"),
    name,
    checksum: config.checksum,
    document: config.text,
    cli_version: "",
    display_name: undefined,
    description: undefined,
    default_labels: {},
    label_colors: {},
    links: {},
    runner_type: undefined,
    created_by_id: "",
    actions: [{ name: "greet", labels: {}, id: newId("act"), config_id: newId("awc") }],
    components: [],
    runbooks: [],
  };
  await activateConfig(db, orgId, app.id, { draft: JSON.stringify(draft), base: undefined });
  return { appId: app.id, configId: draft.id };
}

/** The JSON document of a small config. */
export function documentOf(name: string, command = "echo hello"): Record<string, object> {
  const greet = { name: "greet", steps: [{ name: "greet", command }] };
  return { "metadata.toml": { name }, actions: { "greet.toml": greet } };
}
