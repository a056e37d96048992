import { describe, expect, test } from "vitest";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { call, setup } = await givenAppsApi();
type Part = Refused & Record<string, unknown>;

describe("a part of the active config", () => {
  test("is read by itself, with the ids of its config", async () => {
    const { sync, read, app, orgId } = await setup();
    const { body: config } = await sync(await richDocument());
    const parts: Record<string, string[]> = {
      "input-config": ["input_groups", "inputs"],
      "sandbox-config": ["terraform_version"],
      "runner-config": ["app_runner_type", "runner_type"],
      "stack-config": ["type"],
      "permissions-config": ["provision_aws_iam_role", "custom_aws_iam_roles", "named_policies"],
      "break-glass-config": ["aws_iam_roles"],
      "operation-role-config": ["rules"],
      "policies-config": ["policies"],
      "secrets-config": ["secrets"],
      "metadata-config": ["name"],
      "kubernetes-contexts-config": ["contexts"],
      "trigger-rules-config": ["trigger_rules"],
    };
    const ids = { id: config.id, app_config_id: config.id, app_id: app.id, org_id: orgId };
    for (const [part, members] of Object.entries(parts)) {
      const { status, body } = await read<Part>(`/latest-${part}`);
      expect([part, status, body]).toMatchObject([part, 200, ids]);
      expect(Object.keys(body)).toEqual(expect.arrayContaining(members));
    }
    const { body } = await read<Part>("/latest-input-config");
    expect(body["inputs"]).toMatchObject([
      { name: "replicas", index: 0 },
      { name: "domain", index: 1 },
      { name: "api-key", index: 2 },
    ]);
  });

  test("is read of each config by the config's id, and listed", async () => {
    const { sync, read, at, token } = await setup();
    const { body: first } = await sync(await richDocument());
    const { body: second } = await sync(documentOf("shop"));
    const names = "input stack permissions break-glass operation-role policies secrets".split(" ");
    for (const name of names) {
      const path = `/${name}-configs/${first.id}`;
      expect([path, await read<Part>(path)]).toMatchObject([
        path,
        { status: 200, body: { id: first.id, app_config_id: first.id } },
      ]);
    }
    const code = "app_config_part_not_found";
    expect(await read(`/policies-configs/${second.id}`)).toMatchObject({ body: { code } });
    const growing = await call<Part>(`POST ${at}/configs`, { token, body: {} });
    expect(await read(`/stack-configs/${String(growing.body["id"])}`)).toMatchObject({
      body: { code },
    });
    for (const name of ["input", "policies", "runner", "sandbox"]) {
      const { body } = await read<Part[]>(`/${name}-configs`);
      expect([name, body.at(-1)]).toMatchObject([name, { id: first.id }]);
    }
    expect(await read("/runner-configs?limit=1&cursor=")).toMatchObject({
      body: { items: [{ id: first.id }], next_cursor: null },
    });
  });

  test("is not there before a config is active, nor where it has none", async () => {
    const { sync, read } = await setup();
    const none = { status: 404, body: { code: "app_config_part_not_found" } };
    expect(await read("/latest-runner-config")).toMatchObject(none);
    await sync(await richDocument());
    await sync(documentOf("shop"));
    expect(await read("/latest-runner-config")).toMatchObject(none);
  });
});
