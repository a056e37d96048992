import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { setup, url } = await givenWorkflowsApi({ env: { SVC_BRANDS: "acme" } });

/** An action that reads by the brand, and a policy in its package. */
const branded = (command: string) => ({
  ...shopConfig,
  actions: {
    ...shopConfig.actions,
    "greet.toml": { name: "greet", steps: [{ name: "run", command }] },
  },
  policies: {
    "p.toml": {
      name: "p",
      type: "sandbox",
      contents: "package acme\n\ndeny contains `no` if input.no\n",
    },
  },
  "operation_roles.toml": {
    rules: [{ operation: "deploy", principal: "acme::action:greet", role: "maker" }],
  },
  "permissions.toml": { provision_role: { name: "maker" } },
});

type Plan = {
  readonly steps: readonly { readonly interpolated_command: string }[];
  readonly builtin_env_vars: Readonly<Record<string, string>>;
  readonly brands?: readonly string[];
};

test("a config by a brand is synced, and its runs have the brand in their plans, also where it is gone since", async () => {
  const command = "echo {{ .acme.inputs.inputs.audience }} {{ .svc.app.name }} {{ $.acme.org.id }}";
  const org = await setup(branded(command));
  const { installId, agent } = await givenInstall(org);
  const ranPlan = async (): Promise<Plan> => {
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    return JSON.parse(agent.plans.at(-1) ?? "{}") as Plan;
  };
  const plan = await ranPlan();
  expect(plan.steps[0]?.interpolated_command).toBe(`echo world shop ${org.orgId}`);
  expect(plan.brands).toEqual(["acme"]);
  expect(plan.builtin_env_vars).toMatchObject({
    SVC_INSTALL_ID: installId,
    ACME_INSTALL_ID: installId,
    ACME_ORG_ID: org.orgId,
  });

  const without = await startBroker({ url });
  expect(without.logged.filter((line) => line.includes("SVC_BRANDS has not")).join()).toContain(
    '"brands":{"acme":1}',
  );
  const again = await without.call<{ workflow_id: string }>(
    `POST /v1/installs/${installId}/actions/runs`,
    { token: org.token, body: { name: "greet" } },
  );
  expect(again.status).toBe(201);
  await org.reach(again.body.workflow_id, "success");
  const kept = JSON.parse(agent.plans.at(-1) ?? "{}") as Plan;
  expect(kept.builtin_env_vars).toMatchObject({ ACME_INSTALL_ID: installId });
  expect(kept.steps).toMatchObject([{ interpolated_command: `echo world shop ${org.orgId}` }]);

  const resynced = await without.call<{ errors?: readonly { code: string }[] }>(
    `POST /v1/apps/${org.appId}/configs/sync`,
    { token: org.token, body: branded(command) },
  );
  expect(resynced.body.errors?.map(({ code }) => code).toSorted()).toEqual([
    "bad_rego",
    "bad_value",
  ]);
});

test("headers have the brand's name as well, and two that differ are refused", async () => {
  const org = await setup();
  const [broker] = org.brokers;
  const list = async (headers: Record<string, string>) =>
    await broker?.call<{ code?: string }>("GET /v1/apps?limit=1", { token: org.token, headers });
  const listed = await list({ "X-Acme-Org-ID": org.orgId });
  expect(listed?.status).toBe(200);
  expect(listed?.headers.get("x-acme-page-next")).toBe("false");
  expect(listed?.headers.get("x-svc-page-next")).toBe("false");
  expect((await list({ "x-acme-org-id": "org_other" }))?.status).not.toBe(200);
  const both = { "x-acme-org-id": org.orgId, "x-svc-org-id": org.orgId };
  expect((await list(both))?.status).toBe(200);
  const differing = await list({ ...both, "x-svc-org-id": "org_other" });
  expect([differing?.status, differing?.body.code]).toEqual([400, "header_differs"]);
});
