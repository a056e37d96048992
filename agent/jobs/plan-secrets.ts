/**
 * Every secret of a plan: the values of its `secrets` and `secret_env_vars`, values whose names say that they are
 * secret (wherever they are), and the passwords in URLs.
 */
export function planSecrets(plan: unknown): string[] {
  const found = new Set<string>();
  collect(plan, false, found);
  return [...found];
}

function collect(value: unknown, isSecret: boolean, found: Set<string>): void {
  if (typeof value === "string") {
    if (isSecret && value !== "") found.add(value);
    for (const secret of secretsInUrls(value)) found.add(secret);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (isNamedValue(value, name)) collect(member, isSecretName(value.name), found);
    else collect(member, isSecretName(name) || (isSecret && !isPublicName(name)), found);
  }
}

/** `{name: "DB_PASSWORD", value: "…"}`, as lists of values have it. */
function isNamedValue(within: object, name: string): within is { name: string } {
  return name === "value" && "name" in within && typeof within.name === "string";
}

const secretWords = new Set([
  ..."password passwd passphrase pwd pass secret secrets token tokens credential credentials".split(
    " ",
  ),
  ..."apikey accesskey privatekey dsn kubeconfig".split(" "),
]);
const publicWords = new Set(["name", "file", "path", "arn", "url", "region", "type", "format"]);
/** Within what is secret as a whole, these are not: a service account's key names its project. */
const publicWithin = new Set([...publicWords, "id", "email", "uri", "domain", "project", "tenant"]);

/** Whether a name says of its value that it is secret: DB_PASSWORD, apiKey, client-secret; not TOKEN_URL. */
function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (publicWords.has(last) || words.includes("public")) return false;
  if (last === "key" && words.length > 1) return true;
  const text = words.join(" ");
  return /\baccess key id\b|\bconnection string\b/.test(text) || words.some(isSecretWord);
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

const isPublicName = (name: string): boolean => publicWithin.has(wordsOf(name).at(-1) ?? "");
const isSecretWord = (word: string): boolean => secretWords.has(word);

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
