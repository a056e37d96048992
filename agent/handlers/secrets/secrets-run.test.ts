import { describe, expect, test } from "vitest";
import { readSecretsRun } from "./secrets-run.ts";

const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf";
const vault = "https://acme.vault.azure.net/secrets/license";
const to = { namespace: "shop", name: "license" };
const aws_auth = { use_default: true };
const gcp_auth = { project_id: "acme-1" };
const azure_auth = { use_default: true };
const everybody = { aws_auth, gcp_auth, azure_auth, cluster_info: { kube_config: "{}" } };

const read = (plan: object, operation = "exec") =>
  readSecretsRun({ ...everybody, ...plan }, { operation } as Parameters<typeof readSecretsRun>[1]);
const readOne = (secret: object, plan: object = {}) =>
  read({ kubernetes_secrets: [{ ...to, ...secret }], ...plan });

describe("a secret of a plan", () => {
  test.each<[string, object, object]>([
    ["an ARN", { secret_arn: arn }, { cloud: "aws", arn, region: "eu-central-1" }],
    [
      "a short name",
      { gcp_secret_name: "license" },
      {
        cloud: "gcp",
        name: "projects/acme-1/secrets/license",
        host: "secretmanager.googleapis.com",
        version: "latest",
      },
    ],
    [
      "a whole name, of one location and one version",
      { gcp_secret_name: "projects/2/locations/europe-west3/secrets/a_b/versions/7" },
      {
        name: "projects/2/locations/europe-west3/secrets/a_b",
        host: "secretmanager.europe-west3.rep.googleapis.com",
        version: "7",
      },
    ],
    [
      "the id of a vault's secret",
      { azure_key_vault_secret_id: `${vault}/${"0".repeat(32)}` },
      {
        cloud: "azure",
        origin: "https://acme.vault.azure.net",
        name: "license",
        version: "0".repeat(32),
      },
    ],
    [
      "one of another of Azure's clouds",
      { azure_key_vault_secret_id: "https://acme.vault.azure.cn/secrets/a" },
      {
        vaults: { resource: "https://vault.azure.cn", authority: "https://login.chinacloudapi.cn" },
      },
    ],
  ])("is where %s says", (_, secret, place) => {
    expect(readOne(secret).secrets[0]?.place).toMatchObject(place);
  });

  test("is nowhere where everything is written out empty", () => {
    const empty = { secret_arn: "", gcp_secret_name: "", azure_key_vault_secret_id: "" };
    expect(readOne({ ...empty, format: "", targets: [] }).secrets).toMatchObject([
      {
        name: "license/value",
        place: undefined,
        format: "default",
        targets: [{ ...to, key: "value" }],
      },
    ]);
  });

  test("goes to every namespace of every target, and to them alone", () => {
    const targets = [
      { name: "a", key: "k", namespaces: ["one", "two"] },
      { name: "b", key: "", namespaces: ["one"] },
    ];
    expect(readOne({ secret_name: "license", targets }).secrets[0]).toMatchObject({
      name: "license",
      targets: [
        { namespace: "one", name: "a", key: "k" },
        { namespace: "two", name: "a", key: "k" },
        { namespace: "one", name: "b", key: "value" },
      ],
    });
  });

  test.each<[string, object]>([
    [
      "[0] names several places (secret_arn, gcp_secret_name)",
      { secret_arn: arn, gcp_secret_name: "a" },
    ],
    ["[0].secret_arn must be an ARN", { secret_arn: "license" }],
    ["[0].secret_arn must be an ARN", { secret_arn: arn.replace("secretsmanager", "ssm") }],
    ["must be the name of an AWS region", { secret_arn: arn.replace("eu-central-1", "nowhere") }],
    [
      "[0].secret_arn must be an ARN",
      { secret_arn: arn.replace("eu-central-1", "x@evil.example/#") },
    ],
    ["[0].gcp_secret_name must be", { gcp_secret_name: "projects/p/secrets/../x" }],
    [
      "[0].gcp_secret_name must be",
      { gcp_secret_name: "projects/p/locations/evil.example#/secrets/x" },
    ],
    ["[0].azure_key_vault_secret_id must be", { azure_key_vault_secret_id: `${vault}?x=1` }],
    [
      "[0].azure_key_vault_secret_id must be",
      { azure_key_vault_secret_id: "https://acme.vault.azure.net.evil.example/secrets/a" },
    ],
    [
      "[0].azure_key_vault_secret_id must be",
      { azure_key_vault_secret_id: "https://a@evil.example/.vault.azure.net/secrets/a" },
    ],
    [
      "[0].azure_key_vault_secret_id must be",
      { azure_key_vault_secret_id: vault.replace("s:", ":") },
    ],
    ["[0].format must be one of default, base64, json", { format: "yaml" }],
    [
      "[0].format is json, of which auto_generate makes none",
      { format: "json", auto_generate: true },
    ],
    [
      "[0] names a version, and auto_generate makes a new one",
      { gcp_secret_name: "projects/p/secrets/x/versions/1", auto_generate: true },
    ],
    ["[0].namespace is missing", { namespace: "" }],
    ["[0].name is missing", { name: "" }],
    ["the name of kubernetes_secrets[0] is none that Kubernetes allows", { name: "../x" }],
    ["the namespace of kubernetes_secrets[0] is none", { namespace: "a.b" }],
    ["the key of kubernetes_secrets[0] is none", { key_name: "a/b" }],
    ["[0].targets[0].namespaces is missing", { targets: [{ name: "a", key: "b" }] }],
    ["kubernetes_secrets.0.name", { name: 1 }],
  ])("is refused: %s", (words, secret) => {
    expect(() => readOne(secret)).toThrow(words);
  });

  test.each<[string, string, object]>([
    ["aws_auth is missing", "aws_auth", { secret_arn: arn }],
    ["gcp_auth is missing", "gcp_auth", { gcp_secret_name: "projects/p/secrets/x" }],
    ["gcp_secret_name names no project", "gcp_auth", { gcp_secret_name: "license" }],
    ["azure_auth is missing", "azure_auth", { azure_key_vault_secret_id: vault }],
  ])("is read by nobody whom the plan does not name: %s", (words, member, secret) => {
    for (const nobody of [undefined, null, {}, { region: "" }])
      expect(() => readOne(secret, { [member]: nobody })).toThrow(words);
  });

  test.each<[string, object]>([
    ["aws_auth names no identity", { aws_auth: { region: "eu-central-1" } }],
    ["aws_auth.profile is not supported", { aws_auth: { profile: "prod" } }],
    [
      "aws_auth.assume_role.use_gcp_oidc is not",
      { aws_auth: { assume_role: { role_arn: "r", use_gcp_oidc: true } } },
    ],
  ])("is read by nobody else in place of whom it names: %s", (words, plan) => {
    expect(() => readOne({ secret_arn: arn }, plan)).toThrow(words);
  });
});

describe("secrets of a plan", () => {
  test.each<[string, object[]]>([
    [
      "kubernetes_secrets[0] and kubernetes_secrets[1] write the same key shop/license/value",
      [
        { ...to, secret_name: "a" },
        { ...to, secret_name: "b" },
      ],
    ],
    [
      "kubernetes_secrets[1] is of the same secret_name as another, elsewhere",
      [
        { ...to, secret_name: "a", secret_arn: arn },
        { ...to, secret_name: "a", key_name: "other" },
      ],
    ],
    ["kubernetes_secrets has 101 elements", Array.from({ length: 101 }, () => to)],
  ])("are refused: %s", (words, kubernetes_secrets) => {
    expect(() => read({ kubernetes_secrets })).toThrow(words);
  });

  test("are copied, or only looked at, and nothing else", () => {
    expect(read({}).isDry).toBe(false);
    expect(read({}, "create-apply-plan").isDry).toBe(true);
    expect(() => read({}, "apply-plan")).toThrow("no operation apply-plan: use one of exec");
  });
});

describe("the cluster of secrets is signed in to", () => {
  const endpoint = "https://abc.eks.amazonaws.com";
  const role = { role_arn: "arn:aws:iam::1:role/first", session_name: "s" };

  test("by whom it names itself, with the role that it trusts last", () => {
    const cluster_info = {
      endpoint,
      region: "eu-west-1",
      aws_auth: { assume_role: role },
      trusted_role_arn: "arn:aws:iam::1:role/second",
    };
    expect(read({ cluster_info }).credentials).toMatchObject({
      aws_auth: {
        region: "eu-west-1",
        assume_roles: [{ role_arn: role.role_arn }, { role_arn: cluster_info.trusted_role_arn }],
      },
    });
    expect(read({ cluster_info }).credentials?.gcp_auth).toBeUndefined();
  });

  test("else by whom the plan names", () => {
    const two_step_config = {
      src_static_credentials: { access_key_id: "A", secret_access_key: "s" },
    };
    const plan = {
      aws_auth: { assume_role: { ...role, two_step_config } },
      cluster_info: { endpoint },
    };
    expect(read(plan).credentials?.aws_auth).toMatchObject({
      static: { access_key_id: "A", secret_access_key: "s" },
      assume_roles: [{ role_arn: role.role_arn }],
    });
    const azure = { azure_auth: { managed_identity_client_id: "mi" }, cluster_info: { endpoint } };
    expect(read(azure).credentials?.azure_auth).toMatchObject({ client_id: "mi", use_msi: true });
    const account = "a@acme.iam.gserviceaccount.com";
    const google = {
      gcp_auth: { impersonate_service_account: account },
      cluster_info: { endpoint },
    };
    expect(read(google).credentials?.gcp_auth).toMatchObject({
      impersonate_service_account: account,
    });
  });

  test("by no host of its own accord", () => {
    const nobody = { aws_auth: null, gcp_auth: null, azure_auth: null };
    const words = "cluster_info.endpoint is set, and nobody who signs in there";
    expect(() => read({ ...nobody, cluster_info: { endpoint } })).toThrow(words);
    expect(() => read({ cluster_info: {} })).toThrow("cluster_info is missing");
    expect(() => read({ ...nobody, cluster_info: { trusted_role_arn: "r" } })).toThrow(
      "trusted_role_arn is set without aws_auth",
    );
    expect(read({ ...nobody, cluster_info: { endpoint, token: "t" } }).credentials).toBeDefined();
    expect(() =>
      read({ cluster_info: { azure_auth: { service_principal: { subscription_id: "s" } } } }),
    ).toThrow("cluster_info.azure_auth.service_principal is not supported");
  });
});
