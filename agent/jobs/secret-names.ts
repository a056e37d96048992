const secretWords = (
  "password passwd passphrase pwd pass secret secrets token tokens credential credentials " +
  "apikey accesskey accountkey privatekey secretkey sharedkey dsn kubeconfig auth"
).split(" ");
/** Also at the end of a word without a separator: PGPASSWORD, SSHPASS, NPM_AUTHTOKEN. */
const endings = secretWords.filter((word) => !["auth", "dsn"].includes(word));
/** Words that merely end like one of those. */
const otherWords = new Set(["bypass", "compass", "trespass", "surpass", "underpass", "overpass"]);
const publicWords = new Set(["name", "file", "path", "arn", "url", "region", "type", "format"]);
/**
 * Public members of values that are secret as a whole: a service account's key names its project, and a kubeconfig its
 * kind and namespace.
 */
const publicWithin = new Set([
  ...publicWords,
  ..."id email uri domain project tenant kind version namespace context server".split(" "),
]);

/** Names of a plan that speak of secrets and say where they are. */
const placesOfSecrets = new Set(["kubernetes_secrets", "azure_key_vault_secret_id"]);

/** Whether a name means that its value is secret: DB_PASSWORD, apiKey, client-secret; not TOKEN_URL. */
export function isSecretName(name: string): boolean {
  if (placesOfSecrets.has(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (publicWords.has(last) || words.includes("public")) return false;
  if (last === "key" && words.length > 1) return true;
  const text = words.join(" ");
  if (/\baccess key id\b|\bconnection string\b|\bkube config\b/.test(text)) return true;
  return words.some((word, at) => isSecretWord(word, at > 0 && at === words.length - 1));
}

/** Whether this member of a secret value is public. */
export function isPublicWithin(name: string): boolean {
  return publicWithin.has(wordsOf(name).at(-1) ?? "");
}

/** Whether the value of this name holds secrets under names that users chose. */
export function holdsDeclared(name: string): boolean {
  return /^(?:secrets|(?:secret|hidden) (?:env|(?:env )?(?:vars|variables|values)))$/.test(
    wordsOf(name).join(" "),
  );
}

function isSecretWord(word: string, isLastOfSeveral: boolean): boolean {
  if (word === "auth") return isLastOfSeveral; // REDISCLI_AUTH; `auth` itself holds more than the secret
  if (secretWords.includes(word)) return true;
  return !otherWords.has(word) && endings.some((ending) => word.endsWith(ending));
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** The object or list in a text that is JSON: plans have JSON in values. */
export function jsonWithin(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object; // it starts like JSON
  } catch {
    return undefined;
  }
}
