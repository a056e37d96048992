const secretWords = (
  "password passwd passphrase pwd pass secret secrets token tokens credential credentials " +
  "apikey accesskey accountkey privatekey secretkey sharedkey dsn kubeconfig auth"
).split(" ");
/** Also at the end of a word that is written without a sign between: PGPASSWORD, SSHPASS, NPM_AUTHTOKEN. */
const endings = secretWords.filter((word) => !["auth", "dsn"].includes(word));
/** Words that only end as one of those. */
const otherWords = new Set(["bypass", "compass", "trespass", "surpass", "underpass", "overpass"]);
const publicWords = new Set(["name", "file", "path", "arn", "url", "region", "type", "format"]);
/**
 * Within what is secret as a whole, these are not: a service account's key names its project, a kubeconfig that it is a
 * Config, and which namespace is meant.
 */
const publicWithin = new Set([
  ...publicWords,
  ..."id email uri domain project tenant kind version namespace context server".split(" "),
]);

/** Whether a name says of its value that it is secret: DB_PASSWORD, apiKey, client-secret; not TOKEN_URL. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (publicWords.has(last) || words.includes("public")) return false;
  if (last === "key" && words.length > 1) return true;
  const text = words.join(" ");
  if (/\baccess key id\b|\bconnection string\b|\bkube config\b/.test(text)) return true;
  return words.some((word, at) => isSecretWord(word, at > 0 && at === words.length - 1));
}

/** Within what is secret as a whole: whether this member is not. */
export function isPublicWithin(name: string): boolean {
  return publicWithin.has(wordsOf(name).at(-1) ?? "");
}

/** Whether the members of what has this name are secrets, under names that somebody chose for them. */
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

/** The object or list that a text is, where it is one: plans have values in values. */
export function jsonWithin(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object; // it begins as one
  } catch {
    return undefined;
  }
}
