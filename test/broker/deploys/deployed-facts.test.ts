import { describe, expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { findInstallFacts } from "../../../broker/installs/install-facts.ts";
import { givenWorkflowsApi, shopConfig } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();
const repo = { public_repo: { repo: "acme/shop", branch: "main" } };
const components = {
  "db.toml": { name: "db", type: "terraform_module", ...repo },
  "api.toml": { name: "api", type: "docker_build", ...repo },
  "idle.toml": { name: "idle", type: "terraform_module", ...repo },
};
const config = { ...shopConfig, components, "sandbox.toml": repo };
const digest = `sha256:${"a".repeat(64)}`;

/** An install in which things are deployed, by the newest config of its app. */
async function givenDeployed() {
  const org = await setup();
  const inputs = { audience: "world", secret: "hunter22-value" };
  const { id: installId } = (await org.create({ inputs })).body;
  const { body: synced } = await org.sync(config);
  const made = await db<{ name: string; id: string }[]>`
    select c.name, c.id from components c where c.org_id = ${org.orgId}`;
  const componentOf = (name: string): string => made.find((one) => one.name === name)?.id ?? "";
  const facts = async (configId = synced.id) => {
    const parts = org.brokers[0]?.broker;
    if (parts === undefined) throw new Error("there is no broker");
    const found = await findInstallFacts(parts, org.orgId, {
      id: installId,
      choose: () => configId,
    });
    if (found === undefined) throw new Error("there is no install");
    return found;
  };
  /** A row of what is deployed, with these outputs of its apply; null: nothing of it stands. */
  async function deploy(name: string, outputs: object | null, of: Deployed = {}): Promise<string> {
    const [target, deployed, job, execution] = [
      newId("icm"),
      newId("dep"),
      newId("job"),
      newId("exe"),
    ];
    const componentId = name === "" ? null : componentOf(name);
    const { type = "terraform_module", artifact = {}, buildId = null } = of;
    await db`
      insert into install_components (id, org_id, install_id, component_id, name, workspace_id, chart_id, status, status_at, deployed_id, created_at, updated_at)
      values (${target}, ${org.orgId}, ${installId}, ${componentId}, ${name}, ${newId("tfw")}, ${newId("hch")}, ${outputs === null ? "inactive" : "active"},
              svc_now(), ${outputs === null ? null : deployed}, svc_now(), svc_now())`;
    await db`
      insert into install_deploys (id, org_id, install_id, target_id, component_id, component_name, component_type, type, build_id, artifact, workflow_id, outputs_job_id,
                                   status, status_at, created_at)
      values (${deployed}, ${org.orgId}, ${installId}, ${target}, ${componentId}, ${name}, ${type}, 'apply', ${buildId}, ${db.json(artifact)}, ${newId("wfl")}, ${job},
              'active', svc_now(), svc_now())`;
    await db`
      insert into runner_job_ends (runner_job_id, org_id, status, execution_count, final_execution_id, created_at, finished_at)
      values (${job}, ${org.orgId}, 'finished', 1, ${execution}, svc_now(), svc_now())`;
    await db`
      insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
      values (${execution}, ${org.orgId}, ${execution}, ${JSON.stringify(outputs ?? { gone: 1 })}::text::jsonb, svc_now())`;
    return deployed;
  }
  return { org, installId, configId: synced.id, facts, deploy, componentOf };
}
type Deployed = {
  readonly type?: string;
  readonly artifact?: Readonly<Record<string, string>>;
  readonly buildId?: string;
};

describe("what is known of what is deployed in an install", () => {
  test("is nothing before anything of it was deployed", async () => {
    const { facts } = await givenDeployed();
    const { deployed, values } = await facts();
    expect([deployed, values.ends]).toEqual([undefined, []]);
  });

  test("has what stands of components and of the sandbox, with its outputs", async () => {
    const { facts, deploy, componentOf } = await givenDeployed();
    const artifact = { registry: "r.test", repository: "org/api", tag: "t", digest };
    const db1 = await deploy("db", { url: "u" }, { artifact, buildId: "bld_1" });
    const api = await deploy("api", {}, { type: "docker_build", artifact, buildId: "bld_2" });
    const box = await deploy("", { cluster: { name: "k" } }, { type: "terraform" });
    const { deployed, values } = await facts();
    expect(deployed).toEqual({
      components: expect.arrayContaining([
        {
          name: "db",
          status: "active",
          build_id: "bld_1",
          component_id: componentOf("db"),
          install_component_id: expect.stringMatching(/^icm/) as string,
        },
        expect.objectContaining({
          name: "api",
          image: {
            registry: "r.test",
            repository: "r.test/org/api",
            tag: "t",
            digest,
            pull_secret: "",
          },
        }),
      ]) as unknown,
      sandbox: { status: "active", type: "terraform", version: "" },
    });
    const ends = Object.fromEntries(values.ends.map(({ name, id }) => [name, id]));
    expect(ends).toEqual({ "component:db": db1, "component:api": api, "sandbox:": box });
    const outputs = await values.outputs(["component:db", "sandbox:"]);
    expect(
      Object.fromEntries(outputs.map(([name, bytes]) => [name, JSON.parse(bytes.toString())])),
    ).toEqual({
      "component:db": { url: "u" },
      "sandbox:": { cluster: { name: "k" } },
    });
  });

  test("has no outputs and no build of what was torn down", async () => {
    const { facts, deploy } = await givenDeployed();
    await deploy("db", null, { buildId: "bld_1" });
    const { deployed, values } = await facts();
    expect(deployed?.components).toMatchObject([
      { name: "db", status: "inactive", build_id: null },
    ]);
    expect(values.ends).toEqual([]);
  });

  test("has what its config has not got after all that it has, for parts of older configs", async () => {
    const { org, facts, deploy } = await givenDeployed();
    await deploy("db", { url: "u" });
    const { deployed, values } = await facts(org.configId);
    expect(deployed?.components.at(-1)).toMatchObject({ name: "db" });
    expect(values.ends.map(({ name }) => name)).toEqual(["component:db"]);
  });

  test("is read anew once it is deployed anew", async () => {
    const { facts, deploy } = await givenDeployed();
    const before = (await facts()).values.digest;
    await deploy("db", { url: "u" });
    expect((await facts()).values.digest).not.toBe(before);
  });
});

test("the state of an install shows what is deployed, without what is sensitive", async () => {
  const { org, installId, configId, deploy } = await givenDeployed();
  await deploy("db", { url: "u:hunter22-value", port: 1 });
  await deploy("", { public_domain: "a.test" }, { type: "terraform" });
  await db`update installs set applied_config_id = ${configId} where org_id = ${org.orgId} and id = ${installId}`;
  const { body } = await org.api(`GET /v1/installs/${installId}/state`);
  expect(body).toMatchObject({
    components: {
      db: { status: "active", populated: true, outputs: { url: "(secret)", port: 1 } },
      idle: { name: "idle", populated: false },
    },
    sandbox: { status: "active", outputs: { public_domain: "a.test" } },
    domain: { public_domain: "a.test", populated: true },
    install: { public_domain: "a.test" },
  });
  expect(JSON.stringify(body)).not.toContain("hunter22");
});
