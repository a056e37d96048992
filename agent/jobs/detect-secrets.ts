import { jsonWithin } from "./secret-names.ts";

/** Members of plans that hold variables of users. */
const variableMembers = new Set([
  "env_vars",
  "interpolated_env_vars",
  "override_env_vars",
  "builtin_env_vars",
  "vars",
]);
const publicWords = new Set(
  (
    "id ids name names sha commit digest hash checksum version tag tags url uri host hostname domain endpoint " +
    "address arn region zone path dir directory file image repo repository branch ref email level type kind cidr"
  ).split(" "),
);
const leastLength = 16;
/** Characters of addresses, paths, image names and sentences: a value with one of them is not taken for a secret. */
const isPlain = /[\s/:@,;(){}[\]]|^[^a-z]*$|^[^0-9]*$|^[0-9.-]+$/i;
/** An id with a prefix for its kind, such as ours. */
const isId = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/**
 * Values of a plan's variables that look like secrets although their names do not say so: 16 or more characters,
 * letters and digits mixed. Values with a public name (…_ID, …_URL, …_SHA) or in the form of an address, a path or a
 * sentence are left alone: a log in which every value is redacted cannot be read. JSON values are searched, too.
 */
export function detectSecrets(plan: unknown): string[] {
  const found = new Set<string>();
  visit(plan, found);
  return [...found];
}

function visit(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (variableMembers.has(name)) collect(member, "", found);
    else visit(member, found);
  }
}

function collect(value: unknown, name: string, found: Set<string>): void {
  if (typeof value === "string") {
    const inner = jsonWithin(value);
    if (inner !== undefined) collect(inner, name, found);
    else if (!isPublicName(name) && looksSecret(value)) found.add(value);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [member, inner] of Object.entries(value)) {
    collect(inner, Array.isArray(value) ? name : member, found);
  }
}

function looksSecret(text: string): boolean {
  if (text.length < leastLength || isPlain.test(text) || isId.test(text)) return false;
  return !areCertificates(text);
}

/** A cluster's authority, as a kubeconfig has it: it is no secret, and outputs that name a cluster have to have it. */
function areCertificates(text: string): boolean {
  if (!text.startsWith(certificateStart)) return false;
  const bytes = Buffer.from(text, "base64"); // which leaves out what follows padding
  const isWhole = bytes.toString("base64").replace(padding, "") === text.replace(padding, "");
  return isWhole && certificates.test(bytes.toString("latin1"));
}
const padding = /=+$/;
const certificateStart = Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64");
const certificates = /^(?:-----BEGIN CERTIFICATE-----[\w+/=\s]*-----END CERTIFICATE-----\s*)+$/;

function isPublicName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return publicWords.has(words.at(-1) ?? "");
}
