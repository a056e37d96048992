import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { pushArtifact } from "../../../agent/registry/push-artifact.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenApplier, type SeenPlan } from "../../support/deploys/given-applier.ts";
import { builtDocument, givenBuildsOf } from "../../support/deploys/given-built-config.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { askToken, claimsOf, type Login } from "../../support/registry/ask-token.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";
import { givenWorkflowsApi, stepsOf } from "../../support/workflows/workflows-api.ts";

type PullSecret = { readonly name: string; readonly server: string; readonly login?: Login };
type Planned = SeenPlan & {
  readonly pull_secret?: PullSecret;
  readonly job?: { readonly image_pull_secrets?: readonly string[]; readonly env_vars?: object };
};

const image = { type: "external_image", public: { image_url: "docker.io/acme/app", tag: "1" } };
const document = {
  "metadata.toml": { name: "shop" },
  components: {
    "img.toml": { name: "img", ...image },
    "other.toml": { name: "other", type: "job", image_url: "docker.io/acme/other", tag: "1" },
    "once.toml": {
      name: "once",
      type: "job",
      image_url: "{{ .svc.components.img.image.repository }}",
      tag: "1",
      env_vars: { PULL: "{{ .svc.components.img.image.pull_secret }}" },
    },
  },
};

/** An install of an app with an image, whose runner carries out what it is told. */
async function given(env: Readonly<Record<string, string>>, app: object = document) {
  const workflows = await givenWorkflowsApi({ env });
  const org = await workflows.setup({ "metadata.toml": { name: "shop" } });
  const synced = await org.sync(app);
  expect(synced).toMatchObject({ status: 201 });
  await givenBuildsOf(org, synced.body.id);
  const slots = { actions: 4, deploy: 4, sandbox: 4, sync: 4 };
  const runner = await givenRunner(workflows.db, { orgId: org.orgId, parallelism: slots });
  const registry = { url: "123456789012.dkr.ecr.eu-west-1.amazonaws.com/acme" };
  const applier = await givenApplier(org, runner, {
    outputs: (component) =>
      component === "" ? { ecr: { repository_url: registry.url } } : { url: "u" },
  });
  const provision = async () => {
    const made = await org.create({
      runner_group_id: runner.groupId,
      install_config: { approval_option: "approve-all" },
      inputs: {},
    });
    expect(made.status).toBe(201);
    return { id: made.body.id, workflow: await org.reach(made.body.workflow_id ?? "", "success") };
  };
  const planOf = (name: string, of: "planned" | "applied"): Planned | undefined =>
    applier[of].findLast(({ component }) => component === name)?.plan;
  return { ...org, ...applier, registry, url: workflows.brokers[0]?.url ?? "", provision, planOf };
}

const withTokens = { SVC_REGISTRY: "http://127.0.0.1:9/acme", SVC_REGISTRY_AUTH: "token" };

test("an install's clusters get a login that pulls its images and nothing else, as long as they are deployed", async () => {
  const { provision, planOf, url, api, reach, db, orgId, processId } = await given(withTokens);
  const { id } = await provision();
  const name = `svc-pull-${id.replaceAll("_", "-")}`;
  const named = { name, server: "127.0.0.1:9" };
  expect(planOf("once", "planned")).toMatchObject({
    job: { image_pull_secrets: [name], env_vars: { PULL: name } },
  });
  const place = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
  expect(planOf("once", "planned")?.pull_secret).toEqual({ ...named, place }); // what is approved has no login
  expect(planOf("other", "applied")?.pull_secret).toBeUndefined();
  const loginOf = () => planOf("once", "applied")?.pull_secret?.login;
  const opened = async (login: Login | undefined) => {
    const own = `acme/${orgId}/shop`;
    const scopes = [`${own}:pull,push`, "acme/other:pull"].map((scope) => `repository:${scope}`);
    const answer = await askToken(url, login, scopes);
    if (answer.status !== 200) return answer.status;
    const { access } = await claimsOf(url, answer.body.token);
    return access.map((one) => `${one.name.replace(orgId, "ORG")} ${one.actions.join()}`);
  };
  const first = loginOf();
  expect(await opened(first)).toEqual(["acme/ORG/shop pull"]);
  expect(await opened({ username: first?.username ?? "", password: "svc_reg_other" })).toBe(401);

  // The next deploy brings another one; the former is good for as long as pods may still be started by it.
  const deploy = async (component: string, what: string) => {
    const [found] = (
      await api<{ component_id: string }[]>(`GET /v1/installs/${id}/components?q=${component}`)
    ).body;
    const at = `POST /v1/installs/${id}/components/${found?.component_id ?? ""}/${what}`;
    const begun = await api<{ workflow_id: string }>(at, {});
    expect([what, begun.status]).toEqual([what, 201]);
    await reach(begun.body.workflow_id, "success");
  };
  await deploy("once", "deploys");
  const second = loginOf();
  expect(second?.username).not.toBe(first?.username);
  expect(await opened(first)).toEqual(["acme/ORG/shop pull"]);
  await advanceClock(db, "31 days", { alive: [processId] });
  expect([await opened(first), await opened(second)]).toEqual([401, ["acme/ORG/shop pull"]]);

  // What is torn down last of those that read an image takes the Secret away. The image is pulled for a while after it: what reads it may follow later.
  await deploy("once", "teardown");
  expect(planOf("once", "applied")?.pull_secret).toEqual({ removed: true, ...named, place });
  await deploy("img", "teardown");
  expect(await opened(second)).toEqual(["acme/ORG/shop pull"]);
  await advanceClock(db, "31 days", { alive: [processId] });
  expect(await opened(second)).toEqual([]);
});

test("an image is copied by its digest into the registry that the sandbox has made, and is read from there", async () => {
  const { components } = document;
  const sandbox = builtDocument([])["sandbox.toml"];
  const { provision, planned, planOf, api, reach, orgId, registry } = await given(withTokens, {
    ...document,
    "sandbox.toml": sandbox,
    components: { "img.toml": components["img.toml"], "once.toml": components["once.toml"] },
  });
  const { id, workflow } = await provision();
  expect(stepsOf(workflow)).toContain("sync img: success");
  const host = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";
  const copy = () => planned.findLast(({ plan }) => "dst_registry" in plan)?.plan;
  const source = {
    loginServer: "127.0.0.1:9",
    repository: `acme/${orgId}/shop`,
    ociauth: expect.anything() as object,
  };
  expect(copy()).toMatchObject({
    src_registry: source,
    src_digest: `sha256:${"a".repeat(64)}`,
    dst_registry: {
      registryType: "ecr",
      loginServer: host,
      repository: "acme",
      ecrauth: { use_default: true, region: "eu-west-1" },
    },
  });
  // The nodes of that cloud pull from it by themselves.
  expect(planOf("once", "applied")).toMatchObject({
    job: { image_url: `${host}/acme`, env_vars: { PULL: "" } },
  });
  expect(planOf("once", "applied")?.pull_secret).toBeUndefined();

  // What the sandbox names is where copies go, and nowhere that the broker signs in: it is copied anew from where it was built.
  const reprovision = async () => {
    const begun = await api<{ workflow_id: string }>(
      `POST /v1/installs/${id}/reprovision-sandbox`,
      {},
    );
    await reach(begun.body.workflow_id, "success");
  };
  registry.url = `${host}/moved`;
  await reprovision();
  expect(copy()).toMatchObject({ src_registry: source, dst_registry: { repository: "moved" } });
  registry.url = "127.0.0.1:9/acme/org_other/app/cmp";
  await reprovision();
  expect(copy()).toMatchObject({ dst_registry: { repository: "moved" } });
  expect(planOf("once", "applied")).toMatchObject({
    pull_secret: { server: "127.0.0.1:9" },
    job: { image_url: `127.0.0.1:9/acme/${orgId}/shop` },
  });
});

describeWithTools(["registry", "crane"], "a registry v3 that trusts the broker", () => {
  test("lets a cluster pull what is deployed there an hour after the deploy, and nothing else", async () => {
    const [port = 0] = await freePorts(1);
    const env = { SVC_REGISTRY: `http://127.0.0.1:${port}/acme`, SVC_REGISTRY_AUTH: "token" };
    const { provision, planOf, url, orgId, token, db } = await given(env);
    const { host } = await startRegistry({ trusts: { port, brokerUrl: url } });
    const repository = `acme/${orgId}/app/img`;
    const asOrg = {
      username: "svc",
      password: token,
      tokenServer: url.replace("127.0.0.1", "localhost"),
    };
    const artifact = {
      config: { mediaType: "application/vnd.oci.image.config.v1+json", bytes: Buffer.from("{}") },
      layers: [],
    };
    const push = async (to: string) => {
      const client = makeRegistryClient({ origin: `http://${host}`, repository: to }, asOrg, {
        access: "push",
      });
      return await pushArtifact(client, artifact, "one");
    };
    const { digest } = await push(repository);
    await push(`acme/${orgId}/app/secret`);
    await db`
      update component_builds b set artifact = ${db.json({ repository: `${host}/${repository}`, tag: "one", digest })}
       where b.org_id = ${orgId} and b.component_name = 'img'`;
    await advanceClock(db, "-1 hour"); // the registry has a clock of its own, which is not moved
    await provision();
    const { server = "", login } = planOf("once", "applied")?.pull_secret ?? {};
    await advanceClock(db, "1 hour");
    // As the Secret has it, and the kubelet reads it.
    const folder = await testFolder();
    const auth = Buffer.from(`${login?.username ?? ""}:${login?.password ?? ""}`).toString(
      "base64",
    );
    await writeFile(
      path.join(folder, "config.json"),
      JSON.stringify({ auths: { [server]: { auth } } }),
    );
    const crane = (...args: string[]) => runTool("crane", args, { env: { DOCKER_CONFIG: folder } });
    const pulled = await crane("manifest", `${host}/${repository}@${digest}`);
    expect(JSON.parse(pulled)).toMatchObject({ config: { size: 2 } });
    const other = crane("manifest", `${host}/acme/${orgId}/app/secret:one`);
    await expect(other).rejects.toThrow(/DENIED|UNAUTHORIZED/);
    const overwrite = crane("tag", `${host}/${repository}@${digest}`, "two");
    await expect(overwrite).rejects.toThrow();
    const two = crane("manifest", `${host}/${repository}:two`);
    await expect(two).rejects.toThrow(/MANIFEST_UNKNOWN/);
  });
});
