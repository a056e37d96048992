import { expect, test } from "vitest";
import { configLimits } from "../../../shared/app-config/config-fault.ts";
import { toFileMembers } from "../../../shared/app-config/record-names.ts";
import { type Config, givenAppsApi } from "../../support/apps/apps-api.ts";

const { call, db, setup } = await givenAppsApi();

const repo = { repo: "acme/shop", branch: "main", directory: "." };
const role = (name: string) => ({
  name,
  display_name: name,
  description: name,
  policies: [{ name: "all", contents: '{"Version":"2012-10-17","Statement":[]}' }],
});
const health = { enabled: true, block_deploy: false, required_checks: ["smoke"] };
const steps = [{ name: "run", command: "true" }];

/** As files have it. */
const files = {
  "metadata.toml": { name: "shop" },
  "inputs.toml": {
    group: [{ name: "net", description: "Net" }, { name: "app" }],
    input: [
      { name: "size", group: "net", default: "1" },
      { name: "color", group: "app" },
    ],
  },
  "sandbox.toml": {
    terraform_version: "1.11.4",
    vars: { a: "b" },
    var_file: [{ contents: "c = 1" }],
    operation_roles: [{ operation: "provision", role: "maker" }],
    public_repo: repo,
  },
  "runner.toml": { runner_type: "aws", env_vars: { A: "b" } },
  "permissions.toml": { provision_role: role("maker") },
  "break_glass.toml": { role: [role("rescue")] },
  components: {
    "net.toml": { type: "terraform_module", name: "net", public_repo: { ...repo, branch: "v1" } },
    "image.toml": {
      type: "external_image",
      name: "image",
      aws_ecr: {
        image_url: "1.dkr.ecr.eu-west-1.amazonaws.com/api",
        tag: "1",
        aws_region: "eu-west-1",
      },
    },
    "open.toml": { type: "external_image", name: "open", public: { image_url: "nginx", tag: "1" } },
    "built.toml": {
      type: "docker_build",
      name: "built",
      build_args: { A: "b=c", EMPTY: "" },
      public_repo: repo,
    },
    "web.toml": {
      type: "helm_chart",
      name: "web",
      chart_name: "web",
      dependencies: ["net"],
      values_file: [{ contents: "a: 1" }],
      health,
      public_repo: repo,
    },
  },
  actions: { "greet.toml": { name: "greet", steps: [{ ...steps[0], public_repo: repo }] } },
  runbooks: {
    "wait.toml": {
      name: "wait",
      input: [{ name: "why" }],
      steps: [{ name: "wait", type: "wait_for_trigger", trigger_name: "deployed" }],
    },
  },
};

const git = { public_git_vcs_config: repo };
/** The same as records have it, and what other clients send besides. */
const parts = {
  "metadata-configs": files["metadata.toml"],
  "input-config": {
    groups: { app: { index: 1 }, net: { description: "Net", index: 0 } },
    inputs: { color: { group: "app", index: 2 }, size: { group: "net", default: "1", index: 1 } },
  },
  "sandbox-configs": {
    terraform_version: "1.11.4",
    variables: { a: "b" },
    variables_files: ["c = 1"],
    operation_roles: { provision: "maker" },
    references: ["inputs.size"],
    ...git,
  },
  "runner-configs": { type: "aws", env_vars: { A: "b" } },
  "permissions-configs": { provision_role: role("maker"), break_glass_roles: [role("rescue")] },
};
type Members = Readonly<Record<string, unknown>>;
const derived = { references: ["components.net"], checksum: "abc" };
const configs: readonly (readonly [kind: string, name: string, path: string, Members])[] = [
  [
    "components",
    "net",
    "configs/terraform-module",
    { public_git_vcs_config: { repo: repo.repo, directory: ".", gitRef: "v1" }, ...derived },
  ],
  [
    "components",
    "image",
    "configs/external-image",
    {
      image_url: "1.dkr.ecr.eu-west-1.amazonaws.com/api",
      tag: "1",
      aws_ecr_image_config: { aws_region: "eu-west-1" },
      ...derived,
    },
  ],
  ["components", "open", "configs/external-image", { image_url: "nginx", tag: "1" }],
  ["components", "built", "configs/docker-build", { build_args: ["A=b=c", "EMPTY"], ...git }],
  [
    "components",
    "web",
    "configs/helm",
    {
      chart_name: "web",
      values_files: ["a: 1"],
      health_enabled: true,
      health_block_deploy: false,
      health_required_checks: ["smoke"],
      health_probes: null,
      ...git,
      ...derived,
    },
  ],
  ["actions", "greet", "configs", { steps: [{ ...steps[0], ...git, references: [] }] }],
  [
    "runbooks",
    "wait",
    "configs",
    {
      inputs: [{ name: "why" }],
      steps: [{ name: "wait", type: "wait_for_trigger", trigger: "deployed", idx: 0 }],
    },
  ],
];

test("a config that comes as records has what files of the same say", async () => {
  const one = await setup();
  const synced = await one.sync(files);
  expect(synced).toMatchObject({ status: 201 });

  const { token, at } = await setup();
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await call<{ id: string }>(`POST ${at}/${path}`, { token, body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.id;
  };
  const app_config_id = await post("configs", {
    app_branch_id: "",
    intermediate_config_json: '{"version":"v2"}',
  });
  for (const [path, part] of Object.entries(parts)) await post(path, { ...part, app_config_id });
  const ids = new Map<string, string>();
  for (const [kind, name, path, part] of configs) {
    ids.set(name, await post(kind, { name }));
    const needs = name === "web" ? { dependencies: [ids.get("net")] } : {};
    await post(`${kind}/${ids.get(name)}/${path}`, { ...part, ...needs, app_config_id });
  }
  const sealed = await call<Config>(`PATCH ${at}/configs/${app_config_id}`, {
    token,
    body: { status: "active" },
  });
  expect(sealed).toMatchObject({ status: 201, body: { status: "active" } });
  const read = async (of: typeof one, id: string) =>
    (await call<Config>(`GET ${of.at}/configs/${id}?recurse=true`, { token: of.token })).body;
  const [own, other] = [
    await read({ ...one, token, at }, app_config_id),
    await read(one, synced.body.id),
  ];
  expect(own.document).toEqual(other.document);
  expect(own.checksum).toBe(other.checksum);
});

test.each([
  ["POST /configs", { app_branch_id: "abr_1" }, "#/app_branch_id", "branches of apps"],
  ["PATCH ", { label_colors: { team: "red" } }, "#/label_colors", "metadata.toml"],
])("%s refuses what is to come, and says so", async (what, body, pointer, words) => {
  const { token, at } = await setup();
  const one = what.replace(" ", ` ${at}`);
  expect(await call(one, { token, body })).toMatchObject({
    status: 422,
    body: {
      errors: [{ pointer, code: "comes_later", detail: expect.stringContaining(words) as unknown }],
    },
  });
  const empty = Object.fromEntries(Object.keys(body).map((name) => [name, {}]));
  expect((await call(one, { token, body: empty })).status).toBeLessThan(300);
});

test.each<[type: string, Members, twice: readonly string[]]>([
  ["pulumi", { public_git_vcs_config: { ...repo, gitRef: "v1" } }, ["/gitRef"]],
  ["pulumi", { public_git_vcs_config: { ...repo, gitRef: "main" } }, []],
  [
    "action",
    { steps: [{ public_git_vcs_config: repo, public_repo: { repo: "b" } }] },
    ["/public_git_vcs_config"],
  ],
  ["runbook", { steps: [{ trigger: "a", trigger_name: "b" }] }, ["/0/trigger"]],
  ["inputs", { inputs: { size: { name: "other" } } }, ["/size/name"]],
  ["docker_build", { build_args: ["A=1", "A=1", "A=2"] }, ["/2"]],
  ["helm_chart", { health: { enabled: false }, health_enabled: true }, ["health_enabled"]],
  ["helm_chart", { health: { enabled: true }, health_enabled: true }, []],
  ["external_image", { public: { image_url: "a" }, image_url: "b" }, ["image_url"]],
  ["external_image", { aws_ecr: { tag: "a" }, aws_ecr_image_config: {}, tag: "b" }, ["tag"]],
])("of a %s it is told what %j says twice", (type, given, twice) => {
  const told = toFileMembers(type, given).twice.map((at) => at.join("/"));
  expect(told).toEqual(twice.map((end) => expect.stringMatching(new RegExp(`${end}$`)) as unknown));
});

test("a record keeps its revision beside a null, and what it says beside its tables", () => {
  const shaped = (type: string, given: Members) => toFileMembers(type, given).contents;
  const connected = { branch: null, gitRef: "v1", pathFilter: "x" };
  expect(shaped("pulumi", { connected_github_vcs_config: connected })).toEqual({
    connected_repo: { branch: "v1", pathFilter: "x" },
  });
  expect(shaped("external_image", { public: { image_url: "a" }, tag: "1" })).toEqual({
    public: { image_url: "a", tag: "1" },
  });
});

test("permissions and their break-glass roles are added together, or neither", async () => {
  const { token, at, orgId } = await setup();
  const post = (path: string, body: object) => call<Config>(`POST ${at}/${path}`, { token, body });
  const app_config_id = (await post("configs", {})).body.id;
  const add = (roles: unknown) =>
    post("permissions-configs", { app_config_id, provision_role: {}, break_glass_roles: roles });
  const count = async () =>
    (await db`select from app_config_parts where app_config_id = ${app_config_id}`).count;
  await db`
    insert into app_config_parts (org_id, app_config_id, file, value)
    select ${orgId}, ${app_config_id}, 'n' || n, '{}' from generate_series(1, ${configLimits.files - 2}) n`;
  expect(await add([role("rescue")])).toMatchObject({
    status: 422,
    body: { errors: [{ code: "too_large" }] },
  });
  expect(await count()).toBe(configLimits.files - 1);
  await db`delete from app_config_parts where app_config_id = ${app_config_id} and file ~ '^n'`;
  expect((await add({ rescue: {} })).status).toBe(201);
  const patch = { token, body: { status: "active" } };
  expect((await call<Config>(`PATCH ${at}/configs/${app_config_id}`, patch)).body.errors).toEqual(
    expect.arrayContaining([expect.objectContaining({ file: "break_glass.toml" })]),
  );
});
