import { describe, expect, test } from "vitest";
import { type Config, givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { call, setup: setupApps, db } = await givenAppsApi();

type Part = Refused & {
  id: string;
  name: string;
  type?: string;
  app_config_id: string | null;
  file: string | null;
  config: Record<string, unknown> | null;
};
type Members = Record<string, unknown>;

/** Where the config of a component goes, by its type. */
const kinds: Record<string, string> = {
  docker_build: "docker-build",
  container_image: "external-image",
  helm_chart: "helm",
  job: "job",
  kubernetes_manifest: "kubernetes-manifest",
  pulumi: "pulumi",
  terraform_module: "terraform-module",
};

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const post = <Body = Part>(path: string, body: object) =>
    call<Body>(`POST ${at}/${path}`, { token, body });
  const begin = async () => (await post<Config>("configs", {})).body.id;
  const seal = (id: string) =>
    call<Config>(`PATCH ${at}/configs/${id}`, { token, body: { status: "active" } });
  /** Names something, then adds its config by its id. */
  const addInTwo = async (config: string, folder: string, contents: Members) => {
    const { name, type, ...members } = contents;
    const { body } = await post(folder, { name });
    const where = typeof type === "string" ? `configs/${kinds[type] ?? type}` : "configs";
    return await post(`${folder}/${body.id}/${where}`, { ...members, app_config_id: config });
  };
  return { token, at, post, begin, seal, addInTwo, ...rest };
}

const metadata = { "metadata.toml": { name: "shop" } };
const repo = { public_repo: { repo: "acme/shop", branch: "main", directory: "." } };
const components: Record<string, Members> = {
  docker_build: { dockerfile: "Dockerfile", build_args: { A: "b" }, ...repo },
  container_image: { public: { image_url: "nginx", tag: "1" } },
  helm_chart: { chart_name: "web", values_file: [{ contents: "a: 1" }], ...repo },
  job: { image_url: "busybox", cmd: ["true"], dependencies: ["t-docker-build"] },
  kubernetes_manifest: { manifest: "kind: ConfigMap" },
  pulumi: { runtime: "nodejs", config: { a: "b" }, ...repo },
  terraform_module: { terraform_version: "1.9.0", vars: { a: 5 }, build_timeout: "5m", ...repo },
};
const nameOf = (type: string): string => `t-${type.replaceAll("_", "-")}`;
const folder = Object.fromEntries(
  Object.entries(components).map(([type, members]) => [
    `${nameOf(type)}.toml`,
    { name: nameOf(type), type, ...members },
  ]),
);

describe("a config whose things are named first", () => {
  test("has the checksum that one sync of the same has, with every type of component", async () => {
    const one = await setup();
    const synced = await one.sync({ ...metadata, components: folder });
    expect([synced.status, synced.body.errors]).toEqual([201, undefined]);
    const { begin, seal, addInTwo, read } = await setup();
    const id = await begin();
    for (const contents of Object.values(folder))
      expect(await addInTwo(id, "components", contents)).toMatchObject({
        status: 201,
        body: { name: contents.name, app_config_id: id, file: `components/${contents.name}.toml` },
      });
    const { status, body } = await seal(id);
    expect([status, body.checksum]).toEqual([201, synced.body.checksum]);
    const listed = await read<Part[]>("/components?limit=100");
    expect(listed.body.map(({ name, type }) => [name, type])).toEqual(
      Object.keys(components)
        .toReversed()
        .map((type) => [nameOf(type), type.replace("container_", "external_")]),
    );
  });

  test("has it for components, actions and runbooks of the richest app", async () => {
    const { components: c, actions, runbooks, ...others } = await richDocument();
    const paths = {
      "inputs.toml": "input-config",
      "secrets.toml": "secrets-configs",
      "kubernetes_contexts.toml": "kubernetes-contexts-configs",
      "sandbox.toml": "sandbox-configs",
      "stack.toml": "stack-configs",
      "permissions.toml": "permissions-configs",
    };
    const files = Object.keys(paths).map((file) => [file, others[file]] as const);
    const whole = { ...metadata, ...Object.fromEntries(files), components: c, actions, runbooks };
    const one = await setup();
    const synced = await one.sync(whole);
    expect([synced.status, synced.body.errors]).toEqual([201, undefined]);
    const { begin, seal, addInTwo, post, at, token } = await setup();
    const id = await begin();
    for (const [file, path] of Object.entries(paths))
      expect((await post(path, { ...others[file], app_config_id: id })).status).toBe(201);
    for (const [kind, things] of Object.entries({ components: c, actions, runbooks }))
      for (const thing of Object.values(things ?? {}))
        expect((await addInTwo(id, kind, thing as Members)).status).toBe(201);
    expect((await seal(id)).body).toMatchObject({ checksum: synced.body.checksum });
    const runbook = (await call<Part[]>(`GET ${at}/runbooks`, { token })).body[0];
    const shown = await call<Part>(`GET ${at}/runbooks/${runbook?.id}`, { token });
    expect(shown.body).toMatchObject({ name: runbook?.name, app_config_id: id });
  });

  test("takes the names that records have for members, but not both", async () => {
    const { begin, post, seal, read } = await setup();
    const id = await begin();
    const { body } = await post("components", { name: "network" });
    const at = `components/${body.id}/configs/terraform-module`;
    const members = {
      version: "1.9.0",
      variables: { a: "b" },
      variables_files: ["c = 1"],
      public_git_vcs_config: { repo: "acme/net", branch: "main", directory: "." },
    };
    expect((await post(at, { ...members, app_config_id: id })).status).toBe(201);
    const both = { app_config_id: id, vars: { a: "b" }, variables: {} };
    expect(await post(at, both)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/variables", code: "one_of" }] },
    });
    await post("runner-configs", { app_runner_type: "aws", app_config_id: id });
    expect((await seal(id)).body).toMatchObject({ status: "active" });
    expect((await read<Part>(`/components/${body.id}`)).body.config).toMatchObject({
      terraform_version: "1.9.0",
      vars: { a: "b" },
      var_file: [{ contents: "c = 1" }],
    });
  });

  test("keeps what was said of a thing before, and of another type nothing", async () => {
    const { begin, post, seal, read } = await setup();
    const id = await begin();
    const first = { name: "web", var_name: "front", labels: { tier: "1" }, app_config_id: id };
    const { body } = await post("components", first);
    const at = `components/${body.id}/configs`;
    await post(`${at}/job`, { image_url: "busybox", tag: "1", app_config_id: id });
    await post(`${at}/job`, { tag: "2", app_config_id: id });
    const image = { public: { image_url: "nginx", tag: "1" } };
    const other = await post("components", { name: "side", app_config_id: id });
    await post(`components/${other.body.id}/configs/job`, { image_url: "a", app_config_id: id });
    const path = `components/${other.body.id}/configs/external-image`;
    await post(path, { ...image, app_config_id: id });
    expect((await seal(id)).body).toMatchObject({ status: "active" });
    const config = async (part: string) => (await read<Part>(`/components/${part}`)).body.config;
    expect(await config(body.id)).toEqual({
      name: "web",
      type: "job",
      var_name: "front",
      labels: { tier: "1" },
      image_url: "busybox",
      tag: "2",
    });
    expect(await config(other.body.id)).toEqual({
      name: "side",
      type: "container_image",
      ...image,
    });
  });
});

describe("what an app has by name", () => {
  test("is named once, where - and _ are equal, and kept by syncs", async () => {
    const { post, read, sync } = await setup();
    for (const kind of ["actions", "components", "runbooks"]) {
      const first = await post(kind, { name: "my-own" });
      expect(first).toMatchObject({ status: 201, body: { app_config_id: null, file: null } });
      expect(await post(kind, { name: "my_own" })).toMatchObject({
        status: 201,
        body: { id: first.body.id },
      });
      expect((await read<Part>(`/${kind}/${first.body.id}`)).body.config).toBeNull();
    }
    const job = { name: "my-own", type: "job", image_url: "i" };
    await sync({ ...documentOf("shop"), components: { "a.toml": job } });
    const listed = await read<Part[]>("/components?name=my_own");
    expect(listed.body).toMatchObject([{ name: "my-own", type: "job", config: job }]);
    expect((await read<Part[]>("/components?q=MY")).body).toHaveLength(1);
    expect((await read<Part[]>("/components?q=other")).body).toEqual([]);
    await sync(documentOf("shop"));
    expect((await read<Part[]>("/components")).body).toMatchObject([
      { type: "unknown", config: null },
    ]);
  });

  test("takes members of a config only with one, and only while that is open", async () => {
    const { post, begin, seal } = await setup();
    const { body } = await post("actions", { name: "greet" });
    expect(await post("actions", { name: "greet", steps: [], role: "x" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/role" }, { pointer: "#/steps" }] },
    });
    const at = `actions/${body.id}/configs`;
    const steps = { steps: [{ name: "s", command: "true" }] };
    expect((await post(at, steps)).status).toBe(422);
    const id = await begin();
    const unknown = await post(at, { ...steps, stepz: 1, app_config_id: id });
    expect(unknown.status).toBe(422);
    expect((await post(at, { ...steps, name: "other", app_config_id: id })).status).toBe(422);
    expect((await post(at, { ...steps, app_config_id: id })).status).toBe(201);
    expect((await seal(id)).status).toBe(201);
    expect(await post(at, { ...steps, app_config_id: id })).toMatchObject({
      status: 409,
      body: { code: "config_sealed" },
    });
    const gone = { ...steps, app_config_id: `cfg_${"0".repeat(26)}` };
    expect((await post(at, gone)).status).toBe(404);
  });

  test("is no other app's", async () => {
    const { post } = await setup();
    const theirs = await setup();
    const { body } = await post("components", { name: "web" });
    const id = await theirs.begin();
    expect(
      await theirs.post(`components/${body.id}/configs/job`, { app_config_id: id }),
    ).toMatchObject({
      status: 404,
      body: { code: "component_not_found" },
    });
  });

  test("is at most a thousand of a kind, also with a config", async () => {
    const { post, begin, app, orgId } = await setup();
    await db`
      insert into components (id, org_id, app_id, name, created_at)
      select 'cmp_' || lpad(n::text, 26, '0'), ${orgId}, ${app.id}, 'c' || n, now() from generate_series(1, 1000) n`;
    const full = { status: 409, body: { code: "too_many_of_kind" } };
    expect(await post("components", { name: "more" })).toMatchObject(full);
    const id = await begin();
    expect(await post("components", { name: "more", app_config_id: id })).toMatchObject(full);
    const parts = await db`select from app_config_parts where app_config_id = ${id}`;
    expect(parts.count).toBe(1); // its metadata
    expect((await post("components", { name: "c7", app_config_id: id })).status).toBe(201);
  });
});
