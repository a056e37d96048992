import type { ConfigEntries } from "./config-entries.ts";
import type { ConfigFault, ConfigFaultCode, FoundFault, Path } from "./config-fault.ts";
import { configLimits, pointerTo } from "./config-fault.ts";
import { type ConfigFile, configFiles } from "./config-files.ts";
import { fillNames } from "./fill-names.ts";
import { ignoreKeys } from "./ignore-keys.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { permissionKinds } from "./members/permission-members.ts";
import { faultIn, type Origin, Origins } from "./origins.ts";
import { giveNames } from "./other-names.ts";
import type { Meant } from "./rules/make-meant.ts";
import { isTable } from "./rules/rule.ts";

/** A config as one tree by its sections, unchecked, whichever files it came from. */
export type RawConfig = {
  readonly tree: Readonly<Record<string, unknown>>;
  /** A fault at a path of the tree, told by its file and its path there. */
  readonly faultAt: (path: Path, code: Code, detail: string) => FoundFault;
  /** The file that has what is at a path; empty where none has. */
  readonly fileOf: (path: Path) => string;
  readonly faults: readonly FoundFault[];
  /** Members that nothing knows. */
  readonly ignored: readonly FoundFault[];
  /** What it has without the texts that it names. */
  readonly files: number;
  readonly bytes: number;
};

type Code = ConfigFault["code"];
type Making = {
  readonly tree: Record<string, unknown>;
  readonly origins: Origins;
  readonly faults: FoundFault[];
  readonly ignored: FoundFault[];
};
type Given = { readonly appName: string | undefined; readonly meant: Meant };

/** Puts the files of a config together, in the order of their names: members by the names that are kept, without what nothing knows. */
export function makeRawConfig(
  { entries, faults, ignored, further, bytes }: ConfigEntries,
  { appName, meant }: Given,
): RawConfig {
  const origins = new Origins();
  const making: Making = { tree: {}, origins, faults: [...faults], ignored: [...ignored] };
  for (const [name, { value }] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kind = further.has(name) ? undefined : kindOfFile(name);
    if (kind !== undefined && value !== undefined) place(making, kind, { file: name, value });
  }
  for (const file of further) placeInputs(making, { file, value: entries.get(file)?.value });
  spreadRoles(making);
  if (!entries.has("metadata.toml")) making.faults.push(missingMetadata);
  const ownNames = [...entries.keys()].filter((name) => !further.has(name));
  making.faults.push(...bothForms(ownNames), ...giveNames(making.tree, origins));
  const keys = ignoreKeys(making.tree, origins, meant);
  making.faults.push(...keys.faults);
  fillNames(making.tree, origins, appName);
  return {
    tree: making.tree,
    faultAt: (path, code, detail) => origins.faultAt(path, { code, detail }),
    fileOf: (path) => origins.find(path)?.file ?? "",
    faults: making.faults,
    ignored: [...making.ignored, ...keys.ignored],
    files: entries.size,
    bytes,
  };
}

const missingMetadata: FoundFault = {
  file: "metadata.toml",
  line: null,
  column: null,
  pointer: "#/metadata.toml",
  code: "missing_file",
  detail: "is required: it says what the app is",
};

type Read = { readonly file: string; readonly value: unknown };

function place(making: Making, kind: ConfigFile, { file, value }: Read): void {
  const { section, member } = kind;
  const origin = { file, within: [] };
  const path = member === undefined ? [section] : [section, member];
  if (kind.type === "permission") placePermission(making, origin, value);
  else if (isOneOfMany(kind)) put(making, nextOf(making.tree, path), { origin, value });
  else put(making, [section], { origin, value });
}

/** What a further file of inputs has comes after what is there. */
function placeInputs(making: Making, { file, value }: Read): void {
  if (value === undefined) return;
  if (!isTable(value)) {
    const detail = "must be a table of groups and inputs";
    making.faults.push(faultIn({ file, within: [] }, { code: "wrong_type", detail }));
    return;
  }
  for (const [member, things] of Object.entries(value).slice(0, configLimits.counted)) {
    const origin = { file, within: [member] };
    const detail = `${member} is not known here; known are group, input`;
    if (member !== "group" && member !== "input")
      making.ignored.push(faultIn(origin, { code: "ignored_key", detail }));
    else if (!Array.isArray(things))
      making.faults.push(
        faultIn(origin, { code: "wrong_type", detail: `${member} must be a list` }),
      );
    else placeAll(making, ["inputs", member], { origin, value: things as unknown[] });
  }
}

function placeAll(
  making: Making,
  path: Path,
  { origin, value }: { readonly origin: Origin; readonly value: readonly unknown[] },
): void {
  for (const [nth, one] of value.entries()) {
    const at = { ...origin, within: [...origin.within, nth] };
    put(making, nextOf(making.tree, path), { origin: at, value: one });
  }
}

/** Whether a file of the kind is one of a list, and not all that there is. */
const isOneOfMany = ({ section, folder }: ConfigFile): boolean =>
  folder !== undefined || section === "branches";

/** The next place in a list. */
function nextOf(tree: unknown, path: Path): Path {
  const there = path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | null | undefined)?.[key],
    tree,
  );
  return [...path, Array.isArray(there) ? there.length : 0];
}

const singleRoles = ["provision", "deprovision", "maintenance"];

/** A role says by its type which member of permissions.toml it is. */
function placePermission(making: Making, origin: Origin, given: unknown): void {
  if (!isTable(given)) {
    const detail = "must be a table: a role or a policy";
    making.faults.push(faultIn(origin, { code: "wrong_type", detail }));
    return;
  }
  const { type, ...value } = given;
  const kind = permissionKinds.find((one) => one === type);
  const at = (code: ConfigFaultCode, detail: string): void => {
    const within = type === undefined ? origin.within : [...origin.within, "type"];
    making.faults.push(faultIn({ ...origin, within }, { code, detail }));
  };
  const allowed = `must be one of ${permissionKinds.join(", ")}`;
  if (type === undefined) at("missing_key", `type is missing: it ${allowed}`);
  else if (kind === undefined) at("bad_value", `type ${allowed}`);
  else if (!singleRoles.includes(kind)) {
    const member = type === "custom" ? "custom_roles" : "named_policies";
    put(making, nextOf(making.tree, ["permissions", member]), { origin, value });
  } else {
    const path = ["permissions", `${kind}_role`];
    const first = making.origins.find(path);
    const isThere =
      isTable(making.tree["permissions"]) && `${kind}_role` in making.tree["permissions"];
    if (isThere)
      at("duplicate_name", `${first?.file ?? "another file"} has the ${kind} role already`);
    else put(making, path, { origin, value });
  }
}

/** Roles in one list, each by its type. */
function spreadRoles(making: Making): void {
  const permissions = making.tree["permissions"] as Record<string, unknown> | undefined;
  if (!isTable(permissions)) return;
  const roles: unknown = permissions["roles"];
  const origin = making.origins.find(["permissions", "roles"]);
  if (roles === undefined || origin === undefined) return;
  delete permissions["roles"];
  if (!Array.isArray(roles)) {
    tellRoles(making, origin, "");
    return;
  }
  for (const [nth, role] of (roles as unknown[]).entries()) {
    const at = { ...origin, within: [...origin.within, nth] };
    if (isTable(role)) placePermission(making, at, role);
    else tellRoles(making, at, `, and roles[${nth}] is none`);
  }
}

function tellRoles({ faults }: Making, at: Origin, which: string): void {
  const detail = `roles must be a list of tables${which}`;
  if (faults.length < configLimits.counted)
    faults.push(faultIn(at, { code: "wrong_type", detail }));
}

type Placed = { readonly origin: Origin; readonly value: unknown };

/**
 * Sets what is at a path, and where it came from; lists and tables on the way are made. Where something else is on the
 * way it stays, so that the check of shapes tells it.
 */
function put({ tree, origins }: Making, path: Path, { origin, value }: Placed): void {
  let into = tree as Record<string | number, unknown>;
  for (const [at, key] of path.slice(0, -1).entries()) {
    const isList = typeof path[at + 1] === "number";
    if (into[key] === undefined) into[key] = isList ? [] : {};
    const there = into[key];
    if (isList ? !Array.isArray(there) : !isTable(there)) return;
    into = there as Record<string | number, unknown>; // as was looked
  }
  into[path.at(-1) ?? ""] = value;
  origins.add(path, origin);
}

function bothForms(names: readonly string[]): FoundFault[] {
  const present = configFiles.filter(({ file, folder }) =>
    names.some((name) =>
      folder === undefined ? name === file : kindOfFile(name)?.folder === folder,
    ),
  );
  return present.flatMap((one): FoundFault[] => {
    const { file } = one;
    const other = present.find(
      ({ section, folder }) =>
        section === one.section && folder !== undefined && !folder.includes("/"),
    );
    if (file === undefined || other === undefined) return [];
    const detail = `is there besides the folder ${other.folder ?? ""}/: keep one of the two`;
    const at = { line: null, column: null, pointer: pointerTo([file]) };
    return [{ file, ...at, code: "both_forms", detail }];
  });
}
