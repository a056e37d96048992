/** A version as tags have it: 1.2.3, v1.2.3, 1.2.3-rc.1+build. */
export type Version = {
  readonly numbers: readonly [number, number, number];
  /** Of a version that is not released yet. */
  readonly before: readonly string[];
};

const versionPattern =
  /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([\w.-]+?))?(?:\+[\w.-]+)?$/;

/** Reads a tag as a version, of which the last numbers may be missing; undefined for other tags. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor = "0", patch = "0", before] = versionPattern.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = [Number(major), Number(minor), Number(patch)] as const;
  return { numbers, before: before?.split(".") ?? [] };
}

/** Which of two versions is older, as Semantic Versioning orders them. */
export function compareVersions(one: Version, other: Version): number {
  for (const at of [0, 1, 2] as const) {
    const difference = one.numbers[at] - other.numbers[at];
    if (difference !== 0) return difference;
  }
  if (one.before.length === 0 || other.before.length === 0)
    return other.before.length - one.before.length;
  for (const [at, word] of one.before.entries()) {
    const difference = compareWords(word, other.before[at]);
    if (difference !== 0) return difference;
  }
  return one.before.length - other.before.length;
}

function compareWords(one: string, other: string | undefined): number {
  if (other === undefined) return 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Whether a version is meant. */
export type VersionRange = (version: Version) => boolean;

/**
 * Reads a range as npm and Helm write it: `^1.2`, `~1.4.0`, `>=1.2 <2`, `1.x`, `1.2 - 1.4`, with `||` between several.
 * Versions that are not released are meant only by a range that names one of the same numbers. Undefined when it is none.
 */
export function parseVersionRange(text: string): VersionRange | undefined {
  const parts = text.split("||").map((part) => comparatorsIn(part.trim()));
  if (parts.some((part) => part === undefined)) return undefined;
  return (version) => parts.some((part) => part !== undefined && isMeant(part, version));
}

type Comparator = { readonly is: "<" | "<=" | ">" | ">=" | "="; readonly version: Version };

function isMeant(comparators: readonly Comparator[], version: Version): boolean {
  const isReleased = version.before.length === 0;
  const isNamed = comparators.some(
    ({ version: { before, numbers } }) =>
      before.length > 0 && numbers.every((number, at) => number === version.numbers[at]),
  );
  return (isReleased || isNamed) && comparators.every((one) => holds(one, version));
}

function holds({ is, version: bound }: Comparator, version: Version): boolean {
  const order = compareVersions(version, bound);
  if (is === "=") return order === 0;
  if (is === "<" || is === "<=") return order < 0 || (is === "<=" && order === 0);
  return order > 0 || (is === ">=" && order === 0);
}

const part =
  /^(\^|~>?|>=|<=|>|<|=)?\s*v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$/i;

function comparatorsIn(text: string): readonly Comparator[] | undefined {
  if (text === "" || text === "*") return [];
  const [, from, to] = /^(\S+)\s+-\s+(\S+)$/.exec(text) ?? [];
  const words =
    from === undefined || to === undefined
      ? text.replaceAll(/(\^|~>?|[<>]=?|=)\s+/g, "$1").split(/[\s,]+/)
      : [`>=${from}`, `<=${to}`];
  const found = words.map(comparatorsOf);
  return found.some((one) => one === undefined) ? undefined : found.flatMap((one) => one ?? []);
}

function comparatorsOf(word: string): readonly Comparator[] | undefined {
  const [, sign = "", ...texts] = part.exec(word) ?? [];
  const given = texts
    .slice(0, 3)
    .map((text) => (/^\d+$/.test(text ?? "") ? Number(text) : undefined));
  if (texts[0] === undefined) return undefined;
  const [major, minor, patch] = given;
  if (major === undefined) return [];
  const before = texts[3]?.split(".") ?? [];
  const low: Version = { numbers: [major, minor ?? 0, patch ?? 0], before };
  const past = (numbers: Version["numbers"]): Comparator => ({
    is: "<",
    version: { numbers, before: ["0"] }, // what comes before its release is past it, too
  });
  const next = minor === undefined ? past([major + 1, 0, 0]) : past([major, minor + 1, 0]);
  const isWhole = minor !== undefined && patch !== undefined;
  const from: Comparator = { is: ">=", version: low };
  switch (sign) {
    case "^":
      if (major > 0 || minor === undefined) return [from, past([major + 1, 0, 0])];
      if (minor > 0 || patch === undefined) return [from, past([0, minor + 1, 0])];
      return [from, past([0, 0, patch + 1])];
    case "~":
    case "~>":
      return [from, next];
    case ">":
      return isWhole
        ? [{ is: ">", version: low }]
        : [{ is: ">=", version: { ...next.version, before: [] } }];
    case "<":
      return [isWhole ? { is: "<", version: low } : past(low.numbers)];
    case "<=":
      return [isWhole ? { is: "<=", version: low } : next];
    case ">=":
      return [from];
    default:
      return isWhole ? [{ is: "=", version: low }] : [from, next];
  }
}
