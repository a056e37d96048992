import { describe, expect, test } from "vitest";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { setup } = await givenAppsApi();
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

  test("is not there before a config is active, nor where it has none", async () => {
    const { sync, read } = await setup();
    const none = { status: 404, body: { code: "app_config_part_not_found" } };
    expect(await read("/latest-runner-config")).toMatchObject(none);
    await sync(await richDocument());
    await sync(documentOf("shop"));
    expect(await read("/latest-runner-config")).toMatchObject(none);
  });
});
