import { expect, test } from "vitest";
import { givenAppsApi } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { setup } = await givenAppsApi();

/** By which member a whole config has a part, and where that is read by itself. */
const parts = {
  input: "latest-input-config",
  sandbox: "latest-sandbox-config",
  runner: "latest-runner-config",
  stack: "latest-stack-config",
  permissions: "latest-permissions-config",
  break_glass: "latest-break-glass-config",
  operation_role_config: "latest-operation-role-config",
  policies: "latest-policies-config",
  secrets: "latest-secrets-config",
};

type Named = { readonly id: string };
type Whole = Readonly<Record<string, unknown>> & {
  readonly document: object;
  readonly component_config_connections: readonly Named[];
  readonly action_workflow_configs: readonly Named[];
};

test("a whole config has its parts as each is read by itself", async () => {
  const { sync, read } = await setup();
  const { body: synced } = await sync(await richDocument());
  const { body: whole } = await read<Whole>(`/configs/${synced.id}?recurse=true`);
  for (const [member, at] of Object.entries(parts))
    expect({ [member]: whole[member] }).toEqual({ [member]: (await read(`/${at}`)).body });
  expect(Object.keys(whole.document)).toContain("metadata");

  const ofComponents = (await read<Named[]>("/components?limit=100")).body.map(
    async ({ id }) => (await read<Named>(`/components/${id}/configs/latest`)).body,
  );
  const byId = (one: Named, other: Named) => (one.id < other.id ? -1 : 1);
  const connections = whole.component_config_connections.toSorted(byId);
  expect(connections).toEqual((await Promise.all(ofComponents)).toSorted(byId));
  const ofActions = (await read<Named[]>("/actions?limit=100")).body.map(
    async ({ id }) => (await read<Named>(`/actions/${id}/latest-config`)).body,
  );
  expect(whole.action_workflow_configs.toSorted(byId)).toEqual(
    (await Promise.all(ofActions)).toSorted(byId),
  );
  expect(connections.length * whole.action_workflow_configs.length).toBeGreaterThan(0);
});

test("a whole config's long parts come whole", async () => {
  const { sync, read } = await setup();
  const input = Array.from({ length: 100 }, (_, n) => ({
    name: `input_${n}`,
    display_name: `Input ${n}`,
    description: "ä".repeat(4000),
    group: "all",
  }));
  const group = [{ name: "all", display_name: "All", description: "All of them." }];
  const { status, body: synced } = await sync({
    ...documentOf("shop"),
    "inputs.toml": { group, input },
  });
  expect(status).toBe(201);
  const { body: whole } = await read<Whole>(`/configs/${synced.id}?recurse=true`);
  expect(whole["input"]).toEqual((await read("/latest-input-config")).body);
  expect(whole.action_workflow_configs).toHaveLength(1);
});

test("a config without recurse has none of them", async () => {
  const { sync, read } = await setup();
  const { body: synced } = await sync(await richDocument());
  const { body } = await read<Whole>(`/configs/${synced.id}`);
  expect(Object.keys(body)).not.toContain("input");
  expect(Object.keys(body)).not.toContain("document");
});
