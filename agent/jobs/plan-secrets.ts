import { jsonWithin, holdsDeclared, isPublicWithin, isSecretName } from "./secret-names.ts";

/**
 * How secret the current value is. `declared`: the plan declares it secret, under names that users chose and that mean
 * nothing. `named`: it is part of a value whose name means a secret; parts with public names are left alone.
 */
type Standing = "open" | "named" | "declared";

/**
 * Every secret of a plan: the values of its `secrets` and `secret_env_vars`, values whose names say that they are
 * secret (wherever they are: also in JSON and in `name=value` within a text), and the passwords in URLs.
 */
export function planSecrets(plan: unknown): string[] {
  const found = new Set<string>();
  collect(plan, "open", found);
  return [...found];
}

function collect(value: unknown, standing: Standing, found: Set<string>): void {
  if (typeof value === "number" && standing !== "open") found.add(String(value));
  if (typeof value === "string") return collectText(value, standing, found);
  if (typeof value !== "object" || value === null) return;
  const name = valueName(value);
  for (const [key, member] of Object.entries(value)) {
    if (holdsDeclared(key)) collectDeclared(member, found);
    else if (name === undefined) collect(member, standingOf(key, standing), found);
    else if (key === "value") collect(member, standingOfNamed(name, standing), found);
    else collect(member, standingOf(key, standing === "declared" ? "named" : standing), found);
  }
}

/** Its direct members may have any name, also `name` and `value`. */
function collectDeclared(holder: unknown, found: Set<string>): void {
  if (typeof holder !== "object" || holder === null) return collect(holder, "declared", found);
  for (const member of Object.values(holder)) collect(member, "declared", found);
}

function standingOf(name: string, around: Standing): Standing {
  if (around === "declared") return around;
  if (isSecretName(name)) return "named";
  return around === "named" && !isPublicWithin(name) ? "named" : "open";
}

/** A named value among secrets is secret, whatever its name is. */
function standingOfNamed(name: string, around: Standing): Standing {
  return around === "open" && isSecretName(name) ? "named" : around;
}

function collectText(text: string, standing: Standing, found: Set<string>): void {
  if (standing !== "open" && text !== "") found.add(text);
  for (const secret of secretsInUrls(text)) found.add(secret);
  const inner = jsonWithin(text);
  // In a text that holds JSON, only known kinds have known member names, such as a service account's key.
  if (inner !== undefined) return collect(inner, standing === "open" ? "open" : "named", found);
  for (const secret of secretsInPairs(text)) found.add(secret);
}

/** The name in `{name: "DB_PASSWORD", value: "…"}`, the form of values in lists. */
function valueName(within: object): string | undefined {
  if (!("value" in within && "name" in within)) return undefined;
  return typeof within.name === "string" ? within.name : undefined;
}

/**
 * `password=…;`, `password: …`: in connection strings, in files of settings, in scripts. A name is tried from its
 * beginning only, or a long word would be read once for each of its letters.
 */
const pair =
  /(?<![\w.-])([\w.-]*[A-Za-z])["']?[ \t]*(?:=|:[ \t])[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&,"'}]+))/g;
/** A reference to a value is not a secret. */
const reference = /^[$<]|^\{\{/;

function secretsInPairs(text: string): string[] {
  const found: string[] = [];
  for (const [, name = "", double, single, bare] of text.matchAll(pair)) {
    const value = double ?? single ?? bare ?? "";
    if (value !== "" && isSecretName(name) && !reference.test(value)) found.push(value);
  }
  return found;
}

/** A single name before the @ is a token if it is as long as one; `ubuntu` and `deploy` log in with keys. */
const leastTokenLength = 20;

function secretsInUrls(text: string): string[] {
  const found: string[] = [];
  for (const [, user = "", password = ""] of text.matchAll(/:\/\/([^/@:\s]*)(?::([^/@\s]*))?@/g)) {
    const alone = user.length >= leastTokenLength ? user : "";
    const secret = password === "" ? alone : password;
    if (secret !== "") found.push(secret, decoded(secret));
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
