/** What can be wrong in a config, in one word for programs. */
export const configFaultCodes = [
  "syntax",
  "unknown_key",
  "wrong_type",
  "missing_key",
  "bad_value",
  "duplicate_name",
  "both_forms",
  "missing_file",
  "outside_root",
  "remote_contents",
  "config_too_costly",
  "unknown_component",
  "unknown_action",
  "unknown_runbook",
  "unknown_branch",
  "unknown_group",
  "unknown_input",
  "unknown_role",
  "unknown_policy",
  "unknown_kubernetes_context",
  "self_dependency",
  "dependency_cycle",
  "reference_unknown",
  "bad_template",
  "bad_cron",
  "bad_rego",
  "engine_mismatch",
  "one_of",
  "cloud_mismatch",
  "timeout_range",
] as const;
export type ConfigFaultCode = (typeof configFaultCodes)[number];

/** What may be meant so. */
export const configWarningCodes = [
  "ignored_key",
  "found_twice",
  "unused_input",
  "secret_in_plain",
  "unquoted_in_command",
  "unknown_root",
  "policy_unavailable",
] as const;
export type ConfigWarningCode = (typeof configWarningCodes)[number];

/** What a config has, and this version does nothing with. */
export const configNoticeCodes = ["not_deployed_yet"] as const;
export type ConfigNoticeCode = (typeof configNoticeCodes)[number];

type AnyCode = ConfigFaultCode | ConfigWarningCode | ConfigNoticeCode;

/** Where in a text: both from 1, columns in UTF-16 units. */
export type Place = { readonly line: number; readonly column: number };

/** One thing that is wrong in a config: where, what for programs, what for people. */
export type ConfigFault<Code = AnyCode> = {
  /** Empty where it is the whole. */
  readonly file: string;
  /** Null in a JSON document, which has no lines of its own. */
  readonly line: number | null;
  readonly column: number | null;
  /** In the JSON document of the same config. */
  readonly pointer: string;
  readonly code: Code;
  readonly detail: string;
};

/** A fault whose place is looked up when all are known: by its path in its file, where it has one. */
export type FoundFault<Code = AnyCode> = ConfigFault<Code> & {
  readonly within?: Path;
};

/** Members and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

const mostOf = { pointer: 1000, detail: 500 };

/** A path as a JSON pointer: `#/actions/hello.toml/steps/0`; cut where it is longer than people read. */
export function pointerTo(path: Path): string {
  let pointer = "#";
  for (const key of path) {
    const part = String(key).slice(0, mostOf.pointer);
    pointer += `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (pointer.length > mostOf.pointer) break;
  }
  return cut(pointer, mostOf.pointer);
}

/** A fault whose words are no longer than people read, whatever the config has in them. */
export const makeFault = <Fault extends ConfigFault<unknown>>(fault: Fault): Fault => ({
  ...fault,
  detail: cut(fault.detail, mostOf.detail),
});

/** A piece of a text is a text of its own: it does not keep the whole in memory. */
const cut = (text: string, most: number): string =>
  text.length > most ? `${Buffer.from(text.slice(0, most)).toString()}…` : text;

/** Bounds of a whole config, and of what is told of it. */
export const configLimits = {
  unpackedBytes: 16 * 2 ** 20,
  files: 2_000,
  /** Of one folder that a component is built from, and of all of them. */
  sourceBytes: 10 * 2 ** 20,
  sourcesBytes: 12 * 2 ** 20, // with the document they come in one body
  tomlBytes: 128 * 1024,
  tomlBytesOfAll: 2 * 2 ** 20,
  /** Tables, lists and what is in them: as many as a TOML file has room for, and four such files. */
  valuesOfFile: 65_536,
  values: 262_144,
  /** Levels of tables and lists. */
  depth: 32,
  /** Actions of templates, also those of other programs: `{{` in texts. */
  templates: 500_000,
  /** Of a name with dots in it, as `a.b.c`. */
  nameParts: 32,
  /** Faults that are told, and that are counted. */
  faults: 500,
  counted: 10_000,
} as const;
