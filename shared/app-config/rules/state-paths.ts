/** What templates can read below `.svc`: a table of names, anything, or what the config names. */
export type StatePath =
  | { readonly [name: string]: StatePath }
  | "any"
  | "input"
  | "component"
  | "action"
  | "secret"
  | "runbook-input";

const leaf = {};

export const componentState = {
  name: leaf,
  status: leaf,
  build_id: leaf,
  component_id: leaf,
  install_component_id: leaf,
  outputs: "any",
  image: { registry: leaf, repository: leaf, tag: leaf, digest: leaf, pull_secret: leaf },
  populated: leaf,
} as const satisfies StatePath;
export const actionState = { status: leaf, id: leaf, outputs: "any" } as const satisfies StatePath;
export const secretState = {
  name: leaf,
  arn: leaf,
  gcp_secret_name: leaf,
  azure_key_vault_secret_id: leaf,
  kubernetes_namespace: leaf,
  kubernetes_name: leaf,
  kubernetes_key: leaf,
  length: leaf,
  exists: leaf,
  timestamp: leaf,
} as const satisfies StatePath;

/** The whole, as docs of templates have it. */
export const statePaths = {
  id: leaf,
  name: leaf,
  org: { id: leaf, name: leaf, status: leaf, populated: leaf },
  app: { id: leaf, name: leaf, status: leaf, variables: "any", populated: leaf },
  install: {
    id: leaf,
    name: leaf,
    public_domain: leaf,
    internal_domain: leaf,
    inputs: "input",
    sandbox: "any",
    populated: leaf,
  },
  inputs: { inputs: "input", populated: leaf },
  sandbox: { status: leaf, type: leaf, version: leaf, outputs: "any", populated: leaf },
  domain: { public_domain: leaf, internal_domain: leaf, populated: leaf },
  cloud_account: {
    aws: { region: leaf },
    azure: { location: leaf },
    gcp: { project_id: leaf, region: leaf },
  },
  install_stack: {
    status: leaf,
    checksum: leaf,
    quick_link_url: leaf,
    template_url: leaf,
    template_json: leaf,
    outputs: "any",
    populated: leaf,
  },
  runner: { id: leaf, runner_group_id: leaf, status: leaf, populated: leaf },
  components: "component",
  actions: "action",
  secrets: "secret",
  labels: "any",
  runbook: { inputs: "runbook-input" },
} as const satisfies StatePath;
