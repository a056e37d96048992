type Method = "DELETE" | "GET" | "PATCH" | "POST";
type AliasRow = {
  readonly of: string;
  readonly as: string;
  /** Of these methods only. */
  readonly methods?: readonly Method[];
  /** Of this very path, not of those below it. */
  readonly isExact?: true;
};

const app = "/v1/apps/{app_id}";
const install = "/v1/installs/{install_id}";
const workspace = "{workspace_id}";

/**
 * Other spellings of paths, which existing clients use. A row holds for its path and all below it. What `as` leaves out is an app, found
 * by what the path names after it.
 */
const rows: readonly AliasRow[] = [
  { of: `${app}/actions`, as: `${app}/action-workflows` },
  { of: `${app}/actions/{action_id}`, as: "/v1/action-workflows/{action_id}" },
  { of: `${app}/components/{component_id}`, as: "/v1/components/{component_id}" },
  {
    of: `${app}/components/{component_id}`,
    as: `${app}/component/{component_id}`,
    methods: ["GET"],
    isExact: true,
  },
  { of: "/v1/builds/{build_id}", as: "/v1/components/builds/{build_id}", methods: ["GET"] },
  { of: `${app}/configs`, as: `${app}/config`, methods: ["POST"], isExact: true },
  { of: `${app}/configs/{app_config_id}`, as: `${app}/config/{app_config_id}` },
  { of: `${app}/latest-input-config`, as: `${app}/input-latest-config` },
  { of: `${app}/latest-runner-config`, as: `${app}/runner-latest-config` },
  { of: `${app}/latest-sandbox-config`, as: `${app}/sandbox-latest-config` },
  { of: `${app}/sandbox-configs`, as: `${app}/sandbox-config`, methods: ["POST"], isExact: true },
  { of: `${app}/secrets`, as: `${app}/secret`, methods: ["POST"], isExact: true },
  { of: `${app}/secrets/{secret_id}`, as: `${app}/secret/{secret_id}`, methods: ["DELETE"] },
  {
    of: `${install}/deploys`,
    as: `${install}/components/deploys`,
    methods: ["GET"],
    isExact: true,
  },
  { of: `${install}/actions`, as: `${install}/action-workflows` },
  { of: "/v1/workflows/{workflow_id}", as: "/v1/install-workflows/{workflow_id}" },
  {
    of: "/v1/terraform-workspaces",
    as: "/v1/terraform-workspace",
    methods: ["POST"],
    isExact: true,
  },
  ...["states", "state-json"].map((list) => ({
    of: `/v1/terraform-workspaces/${workspace}/${list}`,
    as: `/v1/runners/terraform-workspace/${workspace}/${list}`,
    methods: ["GET"] as const,
  })),
  ...["terraform-workspaces", "runners/terraform-workspace"].map((list) => ({
    of: `/v1/terraform-workspaces/${workspace}/states/{state_id}/resources`,
    as: `/v1/${list}/${workspace}/state-json/{state_id}/resources`,
    methods: ["GET"] as const,
    isExact: true as const,
  })),
  ...[
    `/v1/terraform-workspaces/${workspace}/state-json/{state_id}`,
    `/v1/terraform-workspaces/${workspace}/state-json/{state_id}/raw`,
    `/v1/runners/terraform-workspace/${workspace}/state-json/{state_id}`,
  ].map((as) => ({
    of: `/v1/terraform-workspaces/${workspace}/states/{state_id}/contents`,
    as,
    methods: ["GET"] as const,
    isExact: true as const,
  })),
];

/** Aliases that are paths of runners' own routes: these answer a caller that is no runner likewise. */
const ofRunners = new Set([
  `GET ${app}/config/{app_config_id}`,
  `GET ${install}/action-workflows/runs/{run_id}`,
]);

type Place = { readonly method: string; readonly path: string };

/** At which other paths a route answers. */
export function pathAliases({ method, path }: Place): readonly string[] {
  const called = method.toUpperCase();
  return rows
    .filter((row) => covers(row, called, path))
    .map(({ of, as }) => `${as}${path.slice(of.length)}`)
    .filter((alias) => !ofRunners.has(`${called} ${alias}`));
}

function covers({ of, methods, isExact }: AliasRow, method: string, path: string): boolean {
  if (methods?.every((one) => one !== method) === true) return false;
  return path === of || (isExact !== true && path.startsWith(`${of}/`));
}

/** What the path of an alias leaves out, and what stands for it: `_`, which is the app of what comes after it. */
export function paramsLeftOut(path: string, alias: string): Readonly<Record<string, string>> {
  const named = new Set(alias.match(/\{\w+\}/g));
  const missing = (path.match(/\{\w+\}/g) ?? []).filter((param) => !named.has(param));
  return Object.fromEntries(missing.map((param) => [param.slice(1, -1), "_"]));
}
