import { isKeptNumber, parseExactly } from "../../shared/parse-exactly.ts";

/** Replaces what is not shown. */
export const hidden = "(sensitive)";

/** Providers do not mark every secret, and a reader of a list needs none of them. */
const secretName =
  /passw(?:or)?d|passphrase|secret|token|private_?key|api_?key|access_?key|credential|connection_?string/i;
const mostDeep = 600;
/** Lengths are bounded: these are tried at every place of a text. */
const passwordInUrl = /([a-z][a-z\d+.-]{0,30}:\/\/[^\s:@/"']{0,200}:)[^\s"']{1,200}@/gi;
const assigned =
  /((?:passw(?:or)?d|pwd|secret|token|api_?key|access_?key|account_?key)[\w-]{0,40}\s{0,3}=\s{0,3}["']?)[^\s;,"'&]{1,500}/gi;
const privateKey = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

/** Whether the name suggests a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/** The value with everything hidden except booleans and nulls. */
export function hideAll(value: unknown): unknown {
  const isEmpty =
    value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
  return typeof value === "boolean" || isEmpty ? value : hidden;
}

/**
 * A value without its secrets: values below a secret's name, at any depth and in JSON within strings,
 * passwords in URLs and in `name=value`, and private keys.
 */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value, depth);
  if (typeof value !== "object" || value === null || isKeptNumber(value)) return value;
  if (depth > mostDeep) return hidden;
  if (Array.isArray(value)) return value.map((one) => redactValue(one, depth + 1));
  const members = Object.entries(value);
  const isOfSecret = members.some(([name, inner]) => names(name, inner));
  return Object.fromEntries(
    members.map(([name, inner]) => {
      const isSecret = isSecretName(name) || (isOfSecret && /^value$/i.test(name));
      return [name, isSecret ? hideAll(inner) : redactValue(inner, depth + 1)];
    }),
  );
}

/** `{"name": "DB_PASSWORD", "value": …}`, as containers are given their environment. */
const names = (member: string, value: unknown): boolean =>
  /^(?:name|key)$/i.test(member) && typeof value === "string" && isSecretName(value);

function redactText(text: string, depth: number): string {
  const inner = /^\s*[[{]/.test(text) ? parse(text) : undefined;
  if (inner !== undefined) {
    const shown = JSON.stringify(redactValue(inner, depth + 1));
    return shown === JSON.stringify(inner) ? text : shown;
  }
  if (text.includes("PRIVATE KEY") && privateKey.test(text)) return hidden;
  const shown = text.includes("://") ? text.replaceAll(passwordInUrl, `$1${hidden}@`) : text;
  return shown.includes("=") ? shown.replaceAll(assigned, `$1${hidden}`) : shown;
}

function parse(text: string): object | undefined {
  try {
    return parseExactly(text) as object; // it begins with a bracket
  } catch {
    return undefined;
  }
}
