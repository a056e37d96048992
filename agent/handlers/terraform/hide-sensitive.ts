import { isSecretName } from "../../jobs/secret-names.ts";

type Members = Record<string, unknown>;

/** The text that replaces a sensitive value. */
export const sensitiveMark = "(sensitive value)";

/** For each of these members, another one says which parts of it are sensitive. */
const marked: readonly (readonly [string, string])[] = [
  ["before", "before_sensitive"],
  ["after", "after_sensitive"],
  ["values", "sensitive_values"],
];

/**
 * Replaces, in place, every value that terraform marks as sensitive in the output of `terraform show -json`, and
 * returns these values: they may also occur elsewhere without a mark.
 */
export function hideSensitive(shown: Members): string[] {
  const secrets = new Set<string>();
  hideVariables(shown, secrets);
  walk(shown, secrets);
  return [...secrets];
}

/** Only the configuration says which variables are sensitive. */
function hideVariables(shown: Members, secrets: Set<string>): void {
  const declared = at(shown, ["configuration", "root_module", "variables"]);
  const given = at(shown, ["variables"]);
  for (const [name, variable] of Object.entries(declared)) {
    if (membersOf(variable)["sensitive"] !== true && !isSecretName(name)) continue;
    const value = membersOf(given[name]);
    if ("value" in value) value["value"] = hidden(value["value"], true, secrets);
  }
}

function walk(value: unknown, secrets: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, secrets);
    return;
  }
  const members = membersOf(value);
  for (const [name, marks] of marked) {
    if (name in members && marks in members) {
      members[name] = hidden(members[name], members[marks], secrets);
    }
  }
  if (members["sensitive"] === true) {
    for (const name of ["value", "default"]) {
      if (name in members) members[name] = hidden(members[name], true, secrets);
    }
  }
  for (const [name, member] of Object.entries(members)) {
    // The configuration has no marks: `password = "…"` is recognized by its name alone.
    const constant = membersOf(member);
    if ("constant_value" in constant && isSecretName(name)) {
      constant["constant_value"] = hidden(constant["constant_value"], true, secrets);
    }
    walk(member, secrets);
  }
}

/** The value without its sensitive parts; the mark is `true` for all of it, or has marks for its parts. */
function hidden(value: unknown, marks: unknown, secrets: Set<string>): unknown {
  if (marks === true) {
    if (value === null || value === undefined) return value;
    collect(value, secrets);
    return sensitiveMark;
  }
  if (typeof marks !== "object" || marks === null) return value;
  if (typeof value !== "object" || value === null) return value;
  const parts = membersOf(value);
  for (const [name, mark] of Object.entries(marks)) {
    if (Object.hasOwn(parts, name)) parts[name] = hidden(parts[name], mark, secrets);
  }
  return value;
}

function collect(value: unknown, secrets: Set<string>): void {
  if (typeof value === "string") secrets.add(value);
  if (typeof value === "number") secrets.add(String(value));
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) collect(member, secrets);
}

function at(value: unknown, path: readonly string[]): Members {
  let found = membersOf(value);
  for (const name of path) found = membersOf(found[name]);
  return found;
}

/** Lists have members too, by their index. */
function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
