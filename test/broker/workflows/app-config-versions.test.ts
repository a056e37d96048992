import { expect, test } from "vitest";
import type { Config } from "../../support/apps/apps-api.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

type Version = {
  readonly id: string;
  readonly old_app_config_id: string | null;
  readonly new_app_config_id: string;
  readonly workflow_id: string | null;
};

test("an install's record tells each config that it had, and what brought it", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const at = `/v1/installs/${installId}`;
  const end = async (what: string, body: object) => {
    const begun = await org.api<{ workflow_id: string }>(`POST ${at}/${what}`, body);
    await org.reach(begun.body.workflow_id, "success");
    return begun.body.workflow_id;
  };
  const { body: next } = await org.sync({ ...shopConfig, "runner.toml": { runner_type: "local" } });
  const workflow = await end("app-config-updates", { app_config_id: next.id });
  await end("reprovision", {}); // it has that config already
  const { body: listed } = await org.api<Version[]>(`GET ${at}/app-config-versions`);
  expect(listed).toMatchObject([
    {
      install_id: installId,
      old_app_config_id: org.configId,
      new_app_config_id: next.id,
      workflow_id: workflow,
    },
    { old_app_config_id: null, new_app_config_id: org.configId },
  ]);
  const { body: begun } = await org.api(`GET /v1/workflows/${listed[1]?.workflow_id ?? ""}`);
  expect(begun).toMatchObject({ type: "provision" });

  const diff = `${at}/app-config-versions/${listed[0]?.id ?? ""}/diff`;
  expect((await org.api(`GET ${diff}`)).body).toEqual({
    added: [],
    changed: [],
    removed: [],
    unchanged: [],
    sandbox_changed: false,
    stack_changed: false,
  });
  const other = await setup();
  expect((await other.api(`GET ${diff}`)).status).toBe(404);
  expect((await other.api(`GET ${at}/app-config-versions`)).status).toBe(404);
});

test("two configs that an install had are compared by their components, their sandbox and their stack", async () => {
  const org = await setup();
  const { body: install } = await org.create({ start: false });
  const manifest = (name: string, contents: string) => ({
    [`${name}.toml`]: { name, type: "kubernetes_manifest", manifest: contents },
  });
  const sync = async (components: object, more: object = {}) =>
    (await org.sync({ ...shopConfig, ...more, components })).body.id;
  const before = await sync(
    { ...manifest("same", "a: 1"), ...manifest("other", "a: 1"), ...manifest("gone", "a: 1") },
    { "stack.toml": { type: "aws-cloudformation", name: "one" } },
  );
  const after = await sync(
    { ...manifest("same", "a: 1"), ...manifest("other", "a: 2"), ...manifest("new", "a: 1") },
    { "stack.toml": { type: "aws-cloudformation", name: "two" } },
  );
  const had = async (id: string, old: string | null, now: string): Promise<string> => {
    await db`
      insert into install_app_configs (id, org_id, install_id, old_app_config_id, new_app_config_id, created_at)
      values (${id}, ${org.orgId}, ${install.id}, ${old}, ${now}, svc_now())`;
    return `GET /v1/installs/${install.id}/app-config-versions/${id}/diff`;
  };
  const entry = (name: string) => ({
    component_id: expect.stringMatching(/^cmp_/) as unknown,
    component_name: name,
    component_type: "kubernetes_manifest",
  });
  const second = await had(`iac_${"1".repeat(26)}`, before, after);
  expect((await org.api<Config>(second)).body).toEqual({
    added: [entry("new")],
    changed: [entry("other")],
    removed: [entry("gone")],
    unchanged: [entry("same")],
    sandbox_changed: false,
    stack_changed: true,
    stack_old_id: before,
    stack_new_id: after,
  });
  const first = await had(`iac_${"0".repeat(26)}`, null, before);
  expect((await org.api<Config>(first)).body).toEqual({
    added: [entry("gone"), entry("other"), entry("same")],
    changed: [],
    removed: [],
    unchanged: [],
    sandbox_changed: false,
    stack_changed: true,
    stack_new_id: before,
  });
});
