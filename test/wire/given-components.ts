type Made = <Body = { id: string }>(what: string, body?: unknown) => Promise<Body>;

const sources = {
  public_repo: { repo: "https://github.com/acme/shop", branch: "main", directory: "." },
};
const connected = { connected_repo: { repo: "acme/shop", branch: "main", directory: "." } };
const env = { env_vars: { A: "b" } };
const image = { image_url: "registry.example.com/api", tag: "1" };

/** One of each type, and of each place of images and sources. */
const components: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  network: {
    type: "terraform_module",
    terraform_version: "1.11.4",
    vars: { size: 5 },
    var_file: [{ contents: "zone = 1" }],
    ...env,
    ...sources,
  },
  web: {
    type: "helm_chart",
    chart_name: "web",
    namespace: "shop",
    helm_repo: { repo_url: "https://charts.example.com", chart: "web", version: "1.0.0" },
    values: { replicas: 2 },
    values_file: [{ contents: "a: 1" }],
    skip_crds: true,
    storage_driver: "secret",
    take_ownership: true,
    dependencies: ["network"],
    var_name: "front",
    labels: { tier: "1" },
    toggleable: true,
    default_enabled: true,
    operation_roles: [{ operation: "deploy", role: "maintenance" }],
    build_timeout: "5m",
    deploy_timeout: "1h30m",
    drift_schedule: "0 * * * *",
    max_auto_retries: 2,
    auto_approve_on_policies_passing: true,
    skip_noops: true,
    kubernetes_context: "shop",
    health: {
      enabled: true,
      block_deploy: true,
      stabilization_window: "1m",
      required_checks: ["synthetic"],
      probes: [
        { type: "http", name: "front", url: "http://web/" },
        { type: "exec", command: ["true"] },
      ],
    },
  },
  chart: { type: "helm_chart", chart_name: "chart", ...sources },
  tool: {
    type: "docker_build",
    dockerfile: "Dockerfile",
    target: "run",
    build_args: { A: "b" },
    ...env,
    ...sources,
  },
  ecr: {
    type: "external_image",
    aws_ecr: { ...image, aws_region: "eu-west-1", iam_role_arn: "arn:aws:iam::1:role/r" },
  },
  acr: {
    type: "external_image",
    azure_acr: { ...image, registry_url: "acme.azurecr.io", tenant_id: "t", client_id: "c" },
  },
  gar: {
    type: "external_image",
    gcp_gar: {
      image_url: "registry.example.com/api",
      update_policy: "newest",
      gcp_project_id: "p",
      gcp_region: "europe-west1",
      service_account_email: "a@example.com",
      workload_identity_provider: "w",
    },
  },
  seed: { type: "job", ...image, cmd: ["true"], args: ["-v"], ...env },
  space: { type: "kubernetes_manifest", manifest: "kind: Namespace", namespace: "shop" },
  patched: {
    type: "kubernetes_manifest",
    kustomize: { path: "k", enable_helm: true, load_restrictor: "none", patches: ["a: 1"] },
    ...connected,
  },
  bucket: {
    type: "pulumi",
    runtime: "nodejs",
    pulumi_version: "3.0.0",
    config: { a: "b" },
    ...env,
    ...sources,
  },
};

const role = (name: string) => ({ name, policies: [{ name: "read", contents: "{}" }] });
const permissions = {
  provision_role: role("provision"),
  maintenance_role: role("maintenance"),
  deprovision_role: role("deprovision"),
};

const runbook = {
  name: "rescue",
  description: "When the shop is down.",
  readme: "# Rescue",
  labels: { tier: "1" },
  input: [
    { name: "why", display_name: "Why", description: "For the record.", default: "down" },
    { name: "code", required: true, sensitive: true },
  ],
  steps: [
    { name: "look", type: "action", action: "look", role: "maintenance", timeout: "5m" },
    { name: "say", type: "action", inline_contents: "echo hello", env_vars: { A: "b" } },
    { name: "tell", type: "action", command: "true" },
    {
      name: "web",
      type: "component_deploy",
      component_name: "web",
      deploy_dependents: true,
      plan_only: true,
    },
    {
      name: "off",
      type: "component_tear_down",
      component_name: "web",
      tear_down_dependents: true,
    },
    { name: "ground", type: "sandbox_reprovision", skip_component_deploys: true },
    {
      name: "wait",
      type: "wait_for_trigger",
      trigger_name: "merged",
      event_types: ["push"],
      filters: [{ path: "ref", from: "payload", op: "eq", value: "main" }],
    },
  ],
};

type Ids = Readonly<Record<string, string>>;

/** An app with components of every type and a runbook with every kind of step, by the names that their paths have. */
export async function givenComponents(
  made: Made,
): Promise<{ readonly components: Ids[]; readonly runbook: Ids }> {
  const { id: app_id } = await made("POST /v1/apps", { name: "kinds" });
  const files = Object.entries(components).map(
    ([name, members]) => [`${name}.toml`, { name, ...members }] as const,
  );
  const document = {
    "metadata.toml": { name: "kinds" },
    "permissions.toml": permissions,
    "kubernetes_contexts.toml": { context: [{ name: "shop", source_component_name: "space" }] },
    components: Object.fromEntries(files),
    actions: { "look.toml": { name: "look", steps: [{ name: "look", command: "true" }] } },
    runbooks: { "rescue.toml": runbook },
  };
  const { id: app_config_id } = await made(`POST /v1/apps/${app_id}/configs/sync`, document);
  const at = `/v1/apps/${app_id}`;
  const listed = await made<{ id: string; config_id: string }[]>(`GET ${at}/components?limit=100`);
  const [rescue] = await made<{ id: string }[]>(`GET ${at}/runbooks`);
  return {
    components: listed.map(({ id, config_id }) => ({
      app_id,
      app_config_id,
      component_id: id,
      component_config_id: config_id,
    })),
    runbook: { app_id, runbook_id: rescue?.id ?? "" },
  };
}
