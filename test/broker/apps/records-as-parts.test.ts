import { expect, test } from "vitest";
import { type Config, givenAppsApi } from "../../support/apps/apps-api.ts";

const { call, setup } = await givenAppsApi();

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
