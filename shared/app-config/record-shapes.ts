type Table = Readonly<Record<string, unknown>>;
type Reshape = (value: unknown) => unknown;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Records have the texts of files as such, files have them in tables. */
const toTables: Reshape = (value) =>
  Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === "string" ? { contents: one } : one))
    : value;

const indexOf = (value: unknown): number => (isTable(value) ? Number(value["index"] ?? 0) : 0);

/** Records have things by their names, files have lists of them, in the order of their `index`. */
const toNamedList: Reshape = (value) =>
  isTable(value)
    ? Object.entries(value)
        .toSorted(([, a], [, b]) => indexOf(a) - indexOf(b))
        .map(([name, one]) => {
          if (!isTable(one)) return one;
          const { index: _index, ...members } = one;
          return { name, ...members };
        })
    : value;

const toOperationRoles: Reshape = (value) =>
  isTable(value) ? Object.entries(value).map(([operation, role]) => ({ operation, role })) : value;

/** `NAME=VALUE` each; what has no `=` is a name with an empty value. */
const toPairs: Reshape = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
    ? Object.fromEntries(
        value.map((one: string) => {
          const at = one.indexOf("=");
          return at < 0 ? [one, ""] : [one.slice(0, at), one.slice(at + 1)];
        }),
      )
    : value;

/** A repository: which revision is its branch, where it names none. */
const toRepo: Reshape = (value) => {
  if (!isTable(value)) return value;
  const { gitRef, pathFilter: _pathFilter, branch, ...members } = value;
  const revision = branch === undefined || branch === "" ? gitRef : branch;
  return { ...members, ...(revision !== undefined && { branch: revision }) };
};

/** A step of an action: where its sources are has other names, and what it refers to is read from it. */
const toActionSteps: Reshape = (value) =>
  Array.isArray(value)
    ? value.map((one: unknown) => {
        if (!isTable(one)) return one;
        const { connected_github_vcs_config: own, public_git_vcs_config: open, ...rest } = one;
        const { references: _references, ...members } = rest;
        return {
          ...members,
          ...(own !== undefined && own !== null && { connected_repo: toRepo(own) }),
          ...(open !== undefined && open !== null && { public_repo: toRepo(open) }),
        };
      })
    : value;

const toRunbookSteps: Reshape = (value) =>
  Array.isArray(value)
    ? value.map((one: unknown) => {
        if (!isTable(one)) return one;
        const { idx: _idx, trigger, ...members } = one;
        return trigger === undefined || trigger === ""
          ? members
          : { ...members, trigger_name: trigger };
      })
    : value;

/** What records have in another shape than files, by the names that files have; a file's own shape stays. */
const everywhere: Readonly<Record<string, Reshape>> = {
  values_file: toTables,
  var_file: toTables,
  operation_roles: toOperationRoles,
  build_args: toPairs,
  connected_repo: toRepo,
  public_repo: toRepo,
};
const ofTypes: Readonly<Record<string, Readonly<Record<string, Reshape>>>> = {
  inputs: { group: toNamedList, input: toNamedList },
  action: { steps: toActionSteps },
  runbook: { steps: toRunbookSteps },
};

/** A member's value as a file of this type has it. */
export function toFileShape(type: string, name: string, value: unknown): unknown {
  const reshape = ofTypes[type]?.[name] ?? everywhere[name];
  return reshape === undefined ? value : reshape(value);
}

const health = /^health_(enabled|stabilization_window|block_deploy|required_checks|probes)$/;
const healthNames = [
  "enabled",
  "stabilization_window",
  "block_deploy",
  "required_checks",
  "probes",
];
const imageNames = ["image_url", "tag", "update_policy"];
const registryNames: Readonly<Record<string, string>> = {
  aws_ecr_image_config: "aws_ecr",
  azure_acr_image_config: "azure_acr",
  gcp_gar_image_config: "gcp_gar",
};
const components = new Set([
  "docker_build",
  "helm_chart",
  "job",
  "kubernetes_manifest",
  "pulumi",
  "terraform_module",
]);
const isImage = (type: string): boolean => type === "container_image" || type === "external_image";

/** Members of records that a file of this type has in tables of its own, or that are read from the rest: what a config refers to, its checksum. */
export function spreadNamesOf(type: string): readonly string[] {
  const derived = type === "action" || type === "sandbox" ? ["references"] : [];
  if (type === "permissions") return ["break_glass_roles"];
  if (components.has(type))
    return ["references", "checksum", ...healthNames.map((name) => `health_${name}`)];
  if (!isImage(type)) return derived;
  return ["references", "checksum", ...imageNames, ...Object.keys(registryNames)];
}

/** Members with what records spread out in the tables that files of this type have for it. */
export function gatherMembers(type: string, given: Table): Table {
  const spread = new Set(spreadNamesOf(type));
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !spread.has(name)));
  const named = Object.entries(given).filter(([name, value]) => spread.has(name) && value != null);
  if (isImage(type)) return { ...own, ...imageOf(named) };
  const told = named.flatMap(([name, value]) => {
    const member = health.exec(name)?.[1];
    return member === undefined ? [] : [[member, value] as const];
  });
  const table = isTable(own["health"]) ? own["health"] : {};
  return told.length === 0 ? own : { ...own, health: { ...table, ...Object.fromEntries(told) } };
}

/** The image by the registry that it is in; one that everybody can read where none is named. */
function imageOf(named: readonly (readonly [string, unknown])[]): Table {
  const source = Object.fromEntries(named.filter(([name]) => imageNames.includes(name)));
  const registries = named.flatMap(([name, value]) => {
    const registry = registryNames[name];
    return registry === undefined || !isTable(value) ? [] : [[registry, value] as const];
  });
  if (registries.length > 0)
    return Object.fromEntries(registries.map(([name, value]) => [name, { ...source, ...value }]));
  return Object.keys(source).length === 0 ? {} : { public: source };
}
