import type { ConfigEntries, ConfigEntry } from "./config-entries.ts";
import { documentPath } from "./config-entries.ts";
import type { ConfigFaultCode, ConfigWarningCode, FoundFault, Path } from "./config-fault.ts";
import { makeFault, pointerTo } from "./config-fault.ts";
import { type ConfigFile, configFiles } from "./config-files.ts";
import { permissionKinds } from "./members/permission-members.ts";
import { PathMap } from "./path-map.ts";

/** A config as one tree by its sections, unchecked, whichever files it came from. */
export type RawConfig = {
  readonly tree: Readonly<Record<string, unknown>>;
  /** A fault at a path of the tree, told by its file and its path there. */
  readonly faultAt: (path: Path, code: Code, detail: string) => FoundFault;
  readonly faults: readonly FoundFault[];
  /** What it has without the texts that it names. */
  readonly files: number;
  readonly bytes: number;
};

type Code = ConfigFaultCode | ConfigWarningCode;
type Origin = { readonly file: string; readonly entry: ConfigEntry };
type Making = {
  readonly tree: Record<string, unknown>;
  readonly origins: PathMap<Origin>;
  readonly faults: FoundFault[];
};

/** Puts the files of a config together, in the order of their names. */
export function makeRawConfig({ entries, faults, bytes }: ConfigEntries): RawConfig {
  const making: Making = { tree: {}, origins: new PathMap(), faults: [...faults] };
  const faultAt = (path: Path, code: Code, detail: string): FoundFault =>
    findFault(making.origins, path, { code, detail });
  for (const [name, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kind = kindOf(name);
    if (kind === undefined || entry.value === undefined) continue;
    place(making, kind, { file: name, entry });
  }
  if (!entries.has("metadata.toml")) making.faults.push(missingMetadata);
  making.faults.push(...bothForms([...entries.keys()]));
  return { tree: making.tree, faultAt, faults: making.faults, files: entries.size, bytes };
}

const missingMetadata: FoundFault = {
  file: "metadata.toml",
  line: null,
  column: null,
  pointer: "#/metadata.toml",
  code: "missing_file",
  detail: "is required: it names the app",
};

function kindOf(name: string): ConfigFile | undefined {
  const [first = "", second] = name.split("/");
  return configFiles.find(({ file, folder }) =>
    second === undefined ? file === first : folder === first,
  );
}

function place(making: Making, kind: ConfigFile, origin: Origin): void {
  const { section, file, folder, member } = kind;
  const { value } = origin.entry;
  const set = (path: Path, given: unknown = value): void => {
    put(making.tree, path, given);
    making.origins.add(path, origin);
  };
  const isOne = section === "branches" || folder !== undefined;
  if (file !== undefined && !isOne) set([section]);
  else if (section === "permissions") placePermission(making, origin, set);
  else set(nextOf(making.tree, member === undefined ? [section] : [section, member]));
}

/** The next place in a list. */
function nextOf(tree: unknown, path: Path): Path {
  const there = path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    tree,
  );
  return [...path, Array.isArray(there) ? there.length : 0];
}

const singleRoles = ["provision", "deprovision", "maintenance"];

/** A file of the folder permissions/ says by its type which member of permissions.toml it is. */
function placePermission(
  making: Making,
  origin: Origin,
  set: (path: Path, given: unknown) => void,
): void {
  const { type, ...rest } = (origin.entry.value ?? {}) as Record<string, unknown>; // a TOML file or a JSON value
  const kind = permissionKinds.find((one) => one === type);
  const at = (code: ConfigFaultCode, detail: string): void => {
    making.faults.push(faultIn(origin, type === undefined ? [] : ["type"], { code, detail }));
  };
  const allowed = `must be one of ${permissionKinds.join(", ")}`;
  if (type === undefined) at("missing_key", `type is missing: it ${allowed}`);
  else if (kind === undefined) at("bad_value", `type ${allowed}`);
  else if (!singleRoles.includes(kind)) {
    const member = type === "custom" ? "custom_roles" : "named_policies";
    set(nextOf(making.tree, ["permissions", member]), rest);
  } else if (making.origins.nearest(["permissions", `${kind}_role`]) !== undefined)
    at("duplicate_name", `another file has the ${kind} role`);
  else set(["permissions", `${kind}_role`], rest);
}

/** Sets what is at a path; lists and tables on the way are made. */
function put(tree: Record<string, unknown>, path: Path, value: unknown): void {
  let into = tree as Record<string | number, unknown>;
  for (const [at, key] of path.slice(0, -1).entries()) {
    const there = into[key];
    const isThere = typeof there === "object" && there !== null;
    into[key] = isThere ? there : typeof path[at + 1] === "number" ? [] : {};
    into = into[key] as Record<string | number, unknown>; // made above
  }
  into[path.at(-1) ?? ""] = value;
}

type Told = { readonly code: Code; readonly detail: string };

/** The file of the nearest part around a path; the whole config, where there is none. */
function findFault(origins: PathMap<Origin>, path: Path, told: Told): FoundFault {
  const found = origins.nearest(path);
  if (found !== undefined) return faultIn(found.value, path.slice(found.length), told);
  return makeFault({ file: "", line: null, column: null, pointer: pointerTo(path), ...told });
}

const faultIn = ({ file }: Origin, within: Path, told: Told): FoundFault =>
  makeFault({
    file,
    line: null,
    column: null,
    pointer: pointerTo([...documentPath(file), ...within]),
    ...told,
    within,
  });

function bothForms(names: readonly string[]): FoundFault[] {
  const present = configFiles.filter(({ file, folder }) =>
    names.some((name) => name === file || (folder !== undefined && name.startsWith(`${folder}/`))),
  );
  return present.flatMap((one): FoundFault[] => {
    const { file } = one;
    const other = present.find(
      ({ section, folder }) => section === one.section && folder !== undefined,
    );
    if (file === undefined || other === undefined) return [];
    const detail = `is there besides the folder ${other.folder ?? ""}/: keep one of the two`;
    const at = { line: null, column: null, pointer: pointerTo([file]) };
    return [{ file, ...at, code: "both_forms", detail }];
  });
}
