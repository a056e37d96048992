import { z } from "zod";

type Issue = z.core.$ZodIssue;
type Code = Issue["code"];
type RawOf<C extends Code> = z.core.$ZodRawIssue<Extract<Issue, { code: C }>>;

/**
 * What is wrong with a value and what is allowed instead, for each of zod's codes. Each begins with a verb, so that it can follow
 * the name of the value, and none repeats the value: it may be a secret.
 */
const words: { readonly [C in Code]: (issue: RawOf<C>) => string } = {
  invalid_type: ({ expected, input, ...issue }) => {
    if (expected === "never") return "Is not allowed here.";
    const kind = issue["format"] === "safeint" ? "int" : expected;
    const allowed = kindOf(kind);
    if (input === undefined) return `Required. Must be ${allowed}.`;
    const given = kindOfValue(input, allowed);
    return given === allowed || given === "" ? `Must be ${allowed}.` : notThat(allowed, given);
  },
  invalid_value: ({ values }) => `Must be ${oneOf(values)}.`,
  too_big: ({ origin, maximum, inclusive, exact, input }) =>
    limitWords({ origin, input, bound: maximum, isExact: exact }, [
      "at most",
      inclusive === false ? "less than" : "at most",
    ]),
  too_small: ({ origin, minimum, inclusive, exact, input }) =>
    limitWords({ origin, input, bound: minimum, isExact: exact }, [
      "at least",
      inclusive === false ? "more than" : "at least",
    ]),
  invalid_format: (issue) => {
    const { format } = issue;
    const part = (name: string): string => JSON.stringify(issue[name]);
    if (format === "starts_with") return `Must begin with ${part("prefix")}.`;
    if (format === "ends_with") return `Must end with ${part("suffix")}.`;
    if (format === "includes") return `Must contain ${part("includes")}.`;
    if (format === "regex") return `Must match the pattern ${issue.pattern ?? "of its form"}.`;
    return `Must be ${formats[format] ?? `text of the form ${format}`}.`;
  },
  not_multiple_of: ({ divisor }) => `Must be a multiple of ${divisor}.`,
  unrecognized_keys: ({ inst }) => {
    const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
    if (known.length === 0) return "Unknown field: none is allowed here.";
    if (known.length > mostNames) return "Unknown field: see the fields of this object at /docs.";
    return `Unknown field: allowed are ${known.join(", ")}.`;
  },
  invalid_union: ({ errors, options }) => {
    if (Array.isArray(options) && options.length > 0) return `Must be ${oneOf(options)}.`;
    return nearestOf(errors)?.[0]?.message ?? "Must have exactly one of the allowed forms.";
  },
  invalid_key: ({ issues }) => `Has a name that is not allowed: ${predicate(issues[0]?.message)}.`,
  invalid_element: ({ issues }) =>
    `Has an element that is not allowed: ${predicate(issues[0]?.message)}.`,
  custom: () => "Is not allowed.",
};

/** What zod says of an issue that its schema has no words of its own for. */
export function issueWords(issue: z.core.$ZodRawIssue): string {
  // each code's own issue goes to its own function
  return (words[issue.code] as (issue: z.core.$ZodRawIssue) => string)(issue);
}

z.config({ localeError: issueWords });

/** What is wrong with a value, to be said after its name: without a capital and a full stop. */
export function predicate(message = "Is not allowed."): string {
  const isSentence = /^[A-Z][a-z]/.test(message);
  const begun = isSentence ? `${message.slice(0, 1).toLowerCase()}${message.slice(1)}` : message;
  return begun.replace(/\.$/, "");
}

/** The first thing that is wrong, and where: "steps.0.name: must be a string, not a number". */
export function firstFault(
  error: z.ZodError | undefined,
  { whole = "the whole", whose = "" }: { readonly whole?: string; readonly whose?: string } = {},
): string {
  const [issue] = error?.issues ?? [];
  const where = issue?.path.map(String).join(".") ?? "";
  return `${where || whole}${whose}: ${predicate(issue?.message)}`;
}

/** Of the forms that a value may have, the faults of the one that it comes nearest to: one of its own type, where there is any. */
export function nearestOf(errors: readonly Issue[][]): readonly Issue[] | undefined {
  const ofItsType = errors.filter((issues) => !issues.every(isOfOtherType));
  return (ofItsType.length > 0 ? ofItsType : errors).toSorted((a, b) => a.length - b.length)[0];
}

const isOfOtherType = ({ code, path }: Issue): boolean =>
  code === "invalid_type" && path.length === 0;

const mostNames = 40;

const kinds: Readonly<Record<string, string>> = {
  array: "a list",
  bigint: "a whole number",
  boolean: "true or false",
  date: "an instant",
  int: "a whole number",
  map: "an object",
  nan: "no number",
  nonoptional: "some value",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  set: "a list",
  string: "a string",
  tuple: "a list",
};

const kindOf = (kind: string): string => kinds[kind] ?? kind;

/** "" of what JSON has not: text that is read as a number and is none, say. */
function kindOfValue(value: unknown, allowed: string): string {
  if (typeof value === "number" && !Number.isFinite(value)) return "";
  const isWhole = allowed === kinds["int"];
  if (isWhole && typeof value === "number" && !Number.isInteger(value))
    return "one with a fraction";
  if (typeof value === "boolean") return "a boolean";
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return kinds[kind] ?? "";
}

const notThat = (allowed: string, given: string): string => `Must be ${allowed}, not ${given}.`;

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) =>
    typeof value === "string" && value !== "" ? value : JSON.stringify(value ?? null),
  );
  return shown.length === 1 ? shown.join("") : `one of ${shown.join(", ")}`;
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  map: ["entry", "entries"],
  record: ["entry", "entries"],
  file: ["byte", "bytes"],
};

type Limit = {
  readonly origin: string;
  readonly input: unknown;
  readonly bound: number | bigint;
  readonly isExact: boolean | undefined;
};

/** A size is told, a number is not repeated. */
function limitWords(
  { origin, input, bound, isExact = false }: Limit,
  [ofSizes, ofNumbers]: readonly [string, string],
): string {
  const unit = units[origin];
  if (unit === undefined) {
    const limit = origin === "date" ? new Date(Number(bound)).toISOString() : String(bound);
    return `Must be ${isExact ? "exactly" : ofNumbers} ${limit}.`;
  }
  if (ofSizes === "at least" && Number(bound) === 1 && !isExact) return "Must not be empty.";
  const size = sizeOf(input);
  const has = size === undefined ? "" : `, not ${size}`;
  const named = Number(bound) === 1 ? unit[0] : unit[1];
  return `Must have ${isExact ? "exactly" : ofSizes} ${bound} ${named}${has}.`;
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (value instanceof Map || value instanceof Set) return value.size;
  return undefined;
}

const formats: Readonly<Record<string, string>> = {
  base64: "base64",
  base64url: "base64 of URLs, without padding",
  cidrv4: "a range of IPv4 addresses, such as 10.0.0.0/8",
  cidrv6: "a range of IPv6 addresses, such as fd00::/8",
  date: "a date, such as 2026-01-31",
  datetime: "an instant, such as 2026-01-31T08:00:00Z",
  duration: "an ISO 8601 duration, such as PT5M",
  email: "an email address",
  guid: "a UUID",
  hostname: "the name of a host",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  json_string: "JSON",
  jwt: "a JSON web token",
  time: "a time of day, such as 08:00:00",
  url: "a URL, such as https://example.com/path",
  uuid: "a UUID",
};
