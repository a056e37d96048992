import { expect, test } from "vitest";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

const config = {
  "metadata.toml": { name: "shop" },
  actions: { "greet.toml": { name: "greet", steps: [{ name: "run", command: "echo hello" }] } },
};

test("lists are narrowed to when things were created", async () => {
  const org = await setup(config);
  const { installId } = await givenInstall(org, { inputs: {} });
  const run = await org.run(installId, "greet");
  const url = "https://hooks.example.com/";
  const hook = await org.api<{ id: string }>("POST /v1/orgs/current/webhooks", {
    webhook_url: url,
  });
  await org.reach(run.body.workflow_id, "success");
  const again = await org.run(installId, "greet"); // newer than the webhook: it gets its events
  await org.reach(again.body.workflow_id, "success");
  const app = `/v1/apps/${org.appId}`;
  await org.api(`POST ${app}/secrets`, { name: "key", value: "a value" });
  for (const kind of ["components", "runbooks"])
    await org.api(`POST ${app}/${kind}`, { name: "named" });
  const actions = await org.api<{ id: string }[]>(`GET ${app}/actions`);
  const install = `/v1/installs/${installId}`;
  const lists = [
    "/v1/apps",
    `${app}/configs`,
    `${app}/actions`,
    `${app}/actions/${actions.body[0]?.id ?? ""}/configs`,
    `${app}/components`,
    `${app}/runbooks`,
    `${app}/secrets`,
    "/v1/installs",
    `${install}/configs`,
    `${install}/inputs`,
    `${install}/state-history`,
    `${install}/events`,
    `${install}/actions/runs`,
    "/v1/workflows",
    "/v1/orgs/current/webhooks",
    `/v1/orgs/current/webhooks/${hook.body.id}/deliveries`,
  ];
  const [past, future] = ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];
  for (const path of lists) {
    const read = (query: string) => org.api<unknown[]>(`GET ${path}?${query}`);
    await expect
      .poll(async () => (await read(`created_at_gte=${past}&created_at_lte=${future}`)).body.length)
      .toBeGreaterThan(0);
    for (const none of [`created_at_gte=${future}`, `created_at_lte=${past}`]) {
      const { status, body } = await read(none);
      expect({ path, none, status, body }).toEqual({ path, none, status: 200, body: [] });
    }
  }
});
