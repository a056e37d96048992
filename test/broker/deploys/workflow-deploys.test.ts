import { expect, test } from "vitest";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { call, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const source = { public_repo: { repo: "https://git.example.com/a.git" } };
type Read = {
  readonly install_deploys?: readonly { readonly id: string; readonly component_name: string }[];
  readonly install_sandbox_runs?: readonly { readonly id: string; readonly run_type: string }[];
};

test("a workflow is read with what it deploys, and no other's, by who may read installs", async () => {
  const component = { name: "a", type: "terraform_module", ...source };
  const { provision, ended, begin, api, id } = await givenApplied(setup, {
    "metadata.toml": { name: "shop" },
    "sandbox.toml": source,
    components: { "a.toml": component },
  });
  await ended(provision);
  const whole = (await api<Read>(`GET /v1/workflows/${provision}`)).body;
  expect(whole.install_sandbox_runs).toMatchObject([
    { run_type: "provision", workflow_id: provision },
  ]);
  expect(whole.install_deploys).toMatchObject([{ component_name: "a", workflow_id: provision }]);
  const { body: listed } = await api<{ id: string }[]>(`GET /v1/installs/${id}/deploys`);
  expect(whole.install_deploys).toEqual(listed);
  const deploy = await begin("POST /components/a/deploys");
  await ended(deploy);
  const other = (await api<Read>(`GET /v1/workflows/${deploy}`)).body;
  expect(other.install_sandbox_runs).toEqual([]);
  expect(other.install_deploys).toHaveLength(1);
  expect(other.install_deploys?.[0]?.id).not.toBe(whole.install_deploys?.[0]?.id);
  const role = await api<{ id: string }>("POST /v1/roles", {
    title: "Narrow",
    role_type: "org_read_only",
    policies: [{ name: "workflows", permissions: ["workflows.read"] }],
  });
  const made = await api<{ secret: string }>("POST /v1/tokens", {
    name: "narrow",
    kind: "sa",
    role_id: role.body.id,
  });
  const token = made.body.secret;
  const narrow = await call<Read>(`GET /v1/workflows/${provision}`, { token });
  expect(narrow.status).toBe(200);
  expect(narrow.body).not.toHaveProperty("install_deploys");
  expect(narrow.body).not.toHaveProperty("install_sandbox_runs");
  const bound = await api<{ secret: string }>("POST /v1/tokens", {
    name: "bound",
    kind: "sa",
    role: "org_read_only",
    bound_type: "installs",
    bound_id: id,
  });
  const seen = await call<Read>(`GET /v1/workflows/${provision}`, { token: bound.body.secret });
  expect(seen.body.install_deploys).toEqual(whole.install_deploys);
});
