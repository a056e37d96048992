import { canonicalJson } from "./canonical-json.ts";

type Table = Readonly<Record<string, unknown>>;
/** Hears where something was given twice, and not the same. */
export type TellTwice = (...at: readonly PropertyKey[]) => void;
type Reshape = (value: unknown, twice: TellTwice) => unknown;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
const differ = (one: unknown, other: unknown): boolean =>
  isSaid(one) && isSaid(other) && canonicalJson(one) !== canonicalJson(other);

/** A table with what was said beside it. */
function joined(table: Table, beside: Table, twice: (name: string) => void): Table {
  const more = Object.entries(beside).filter(
    ([name, value]) => isSaid(value) || !isSaid(table[name]),
  );
  for (const [name, value] of more) if (differ(table[name], value)) twice(name);
  return { ...table, ...Object.fromEntries(more) };
}

/** Records have the texts of files as such, files have them in tables. */
const toTables: Reshape = (value) =>
  Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === "string" ? { contents: one } : one))
    : value;

const indexOf = (value: unknown): number => (isTable(value) ? Number(value["index"] ?? 0) : 0);

/** Records have things by their names, files have lists of them, in the order of their `index`. */
const toNamedList: Reshape = (value, twice) =>
  isTable(value)
    ? Object.entries(value)
        .toSorted(([, a], [, b]) => indexOf(a) - indexOf(b))
        .map(([name, one]) => {
          if (!isTable(one)) return one;
          const { index: _index, ...members } = one;
          return joined(members, { name }, (member) => twice(name, member));
        })
    : value;

const toOperationRoles: Reshape = (value) =>
  isTable(value) ? Object.entries(value).map(([operation, role]) => ({ operation, role })) : value;

/** `NAME=VALUE` each; what has no `=` is a name with an empty value. */
const toPairs: Reshape = (value, twice) => {
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === "string"))
    return value;
  const pairs = new Map<string, string>();
  for (const [nth, one] of value.entries()) {
    const [name = "", ...rest] = one.split("=");
    const given = rest.join("=");
    if ((pairs.get(name) ?? given) !== given) twice(nth);
    pairs.set(name, given);
  }
  return Object.fromEntries(pairs);
};

/** A repository: which revision is its branch, where it names none. A filter of paths is no file's: a config's check passes it over, and says so. */
const toRepo: Reshape = (value, twice) => {
  if (!isTable(value)) return value;
  const { gitRef, pathFilter, branch, ...members } = value;
  if (differ(branch, gitRef)) twice("gitRef");
  const revision = isSaid(branch) ? branch : gitRef;
  return {
    ...members,
    ...(isSaid(pathFilter) && { pathFilter }),
    ...(isSaid(revision) && { branch: revision }),
  };
};

const stepRepos = {
  connected_github_vcs_config: "connected_repo",
  public_git_vcs_config: "public_repo",
} as const;

/** A step of an action: where its sources are has other names, and what it refers to is read from it. */
const toActionSteps: Reshape = (value, twice) =>
  Array.isArray(value)
    ? value.map((one: unknown, nth) => {
        if (!isTable(one)) return one;
        const { references: _references, ...given } = one;
        return Object.entries(stepRepos).reduce<Table>((step, [key, name]) => {
          const { [key]: repo, ...members } = step;
          if (repo === undefined || repo === null) return members;
          const shaped = toRepo(repo, (...at) => twice(nth, key, ...at));
          return joined(members, { [name]: shaped }, () => twice(nth, key));
        }, given);
      })
    : value;

const toRunbookSteps: Reshape = (value, twice) =>
  Array.isArray(value)
    ? value.map((one: unknown, nth) => {
        if (!isTable(one)) return one;
        const { idx: _idx, trigger, ...members } = one;
        if (!isSaid(trigger)) return members;
        return joined(members, { trigger_name: trigger }, () => twice(nth, "trigger"));
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
export function toFileShape(
  type: string,
  name: string,
  { value, twice }: { readonly value: unknown; readonly twice: TellTwice },
): unknown {
  const reshape = ofTypes[type]?.[name] ?? everywhere[name];
  return reshape === undefined ? value : reshape(value, twice);
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
export function gatherMembers(type: string, given: Table, twice: TellTwice): Table {
  const spread = new Set(spreadNamesOf(type));
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !spread.has(name)));
  const named = Object.entries(given).filter(([name, value]) => spread.has(name) && value != null);
  if (isImage(type)) return withImage(own, named, twice);
  const told = named.flatMap(([name, value]) => {
    const member = health.exec(name)?.[1];
    return member === undefined ? [] : [[member, value] as const];
  });
  if (told.length === 0) return own;
  return withTable(own, ["health", Object.fromEntries(told)], (name) => twice(`health_${name}`));
}

/** Members with more of the table of this name. One that is no table stays as it is: the check of the whole refuses it. */
function withTable(
  own: Table,
  [name, more]: readonly [name: string, more: Table],
  twice: (name: string) => void,
): Table {
  const table = own[name] ?? {};
  return isTable(table) ? { ...own, [name]: joined(table, more, twice) } : own;
}

/** The image by the registry that it is in; one that everybody can read where none is named. */
function withImage(
  own: Table,
  named: readonly (readonly [string, unknown])[],
  twice: TellTwice,
): Table {
  const source = Object.fromEntries(named.filter(([name]) => imageNames.includes(name)));
  const registries = named.flatMap(([key, value]) => {
    const registry = registryNames[key];
    return registry === undefined ? [] : [{ key, registry, value }];
  });
  if (registries.length === 0)
    return Object.keys(source).length === 0 ? own : withTable(own, ["public", source], twice);
  return registries.reduce((members, { key, registry, value }) => {
    if (!isTable(value)) return { ...members, [registry]: value };
    const image = joined(value, source, twice);
    const tell = (name: string): void => (name in source ? twice(name) : twice(key, name));
    return withTable(members, [registry, image], tell);
  }, own);
}
