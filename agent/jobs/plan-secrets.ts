import { jsonWithin } from "./json-within.ts";
import { isPublicWithin, isSecretName } from "./secret-names.ts";

/**
 * Every secret of a plan: the values of its `secrets` and `secret_env_vars`, values whose names say that they are
 * secret (wherever they are: also in JSON and in `name=value` within a text), and the passwords in URLs.
 */
export function planSecrets(plan: unknown): string[] {
  const found = new Set<string>();
  collect(plan, false, found);
  return [...found];
}

function collect(value: unknown, isSecret: boolean, found: Set<string>): void {
  if (typeof value === "number" && isSecret) found.add(String(value));
  if (typeof value === "string") return collectText(value, isSecret, found);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (isNamedValue(value, name)) collect(member, isSecretName(value.name), found);
    else collect(member, isSecretName(name) || (isSecret && !isPublicWithin(name)), found);
  }
}

function collectText(text: string, isSecret: boolean, found: Set<string>): void {
  if (isSecret && text !== "") found.add(text);
  for (const secret of secretsInUrls(text)) found.add(secret);
  const inner = jsonWithin(text);
  if (inner !== undefined) return collect(inner, isSecret, found);
  for (const secret of secretsInPairs(text)) found.add(secret);
}

/** `{name: "DB_PASSWORD", value: "…"}`, as lists of values have it. */
function isNamedValue(within: object, name: string): within is { name: string } {
  return name === "value" && "name" in within && typeof within.name === "string";
}

/**
 * `password=…;`, `password: …`: in connection strings, in files of settings, in scripts. A name is tried from its
 * beginning only, or a long word would be read once for each of its letters.
 */
const pair =
  /(?<![\w.-])([\w.-]*[A-Za-z])["']?[ \t]*(?:=|:[ \t])[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&,"'}]+))/g;
/** What only refers to a value is none. */
const reference = /^[$<]|^\{\{/;

function secretsInPairs(text: string): string[] {
  const found: string[] = [];
  for (const [, name = "", double, single, bare] of text.matchAll(pair)) {
    const value = double ?? single ?? bare ?? "";
    if (value !== "" && isSecretName(name) && !reference.test(value)) found.push(value);
  }
  return found;
}

function secretsInUrls(text: string): string[] {
  const found: string[] = [];
  for (const [, user = "", password] of text.matchAll(/:\/\/([^/@:\s]*)(?::([^/@\s]*))?@/g)) {
    const secret = password ?? user;
    if (secret === "" || secret === "git") continue;
    found.push(secret, decoded(secret));
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
