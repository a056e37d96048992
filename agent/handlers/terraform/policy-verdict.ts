/** The verdict of a policy on a plan. */
export type PolicyVerdict = { readonly deny: readonly string[]; readonly warn: readonly string[] };

/**
 * Reads the output of opa or conftest: the rules of every package, or a list of results. Undefined for anything else,
 * and for a rule of an unknown kind: that is no consent.
 */
export function readPolicyVerdict(text: string): PolicyVerdict | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const found: Found = { deny: [], warn: [] };
    if (Array.isArray(read)) {
      for (const outcome of read) {
        found.deny.push(...messagesOf(memberOf(outcome, "failures") ?? []));
        found.warn.push(...messagesOf(memberOf(outcome, "warnings") ?? []));
      }
      return found;
    }
    if (memberOf(read, "result") === undefined) return undefined;
    collect(memberOf(read, "result"), found);
    return found;
  } catch {
    return undefined;
  }
}

type Found = { readonly deny: string[]; readonly warn: string[] };

function collect(value: unknown, found: Found): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "deny" || name === "violation") found.deny.push(...messagesOf(member));
    else if (name === "warn") found.warn.push(...messagesOf(member));
    else collect(member, found);
  }
}

/**
 * The messages in a rule's value: a string, a list or a set of strings or of objects with a `msg`, an object whose
 * keys are strings, as `deny[msg]` makes one, or true. Throws TypeError for anything else.
 */
function messagesOf(value: unknown): string[] {
  if (value === false || value === "") return [];
  if (value === true) return ["no reason was given"];
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) throw new TypeError("not a verdict");
  if (Array.isArray(value)) return value.map((one) => messageOf(one));
  if (typeof memberOf(value, "msg") === "string") return [messageOf(value)];
  return Object.entries(value).flatMap(([key, held]) => (held === false ? [] : [key]));
}

function messageOf(one: unknown): string {
  const message = typeof one === "string" ? one : memberOf(one, "msg");
  return typeof message === "string" ? message : JSON.stringify(one);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name] // an object has members
    : undefined;
}
