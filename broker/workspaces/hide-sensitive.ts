import { z } from "zod";
import { isKeptNumber } from "../../shared/parse-exactly.ts";
import { hidden } from "./redact-value.ts";

/** A step that cannot be parsed is undefined and matches nothing. */
type SensitivePath = readonly (string | number | undefined)[];
type Members = Readonly<Record<string, unknown>>;
type Container = Record<string | number, unknown>;

const step = z.looseObject({ value: z.unknown() });
const sensitivePaths = z.array(z.array(step));

/** The path of the whole value. */
const everything: SensitivePath = [];

/** The paths that Terraform marks as sensitive in an instance; when they cannot be parsed, all of it counts as sensitive. */
export function readSensitivePaths(given: unknown): readonly SensitivePath[] {
  const { success, data } = sensitivePaths.safeParse(given ?? []);
  if (!success) return [everything];
  return data.map((path) => path.map(({ value }) => (isKey(value) ? value : indexOf(value))));
}

/** Attributes that may be shown, and the places where something was left out. */
export type Shown = { readonly attributes: Members; readonly hiddenAt: readonly string[] };

/**
 * Attributes without the values at these paths, and without copies of these values elsewhere: providers
 * repeat their inputs unmarked. A path that cannot be followed hides everything below the last place that it reaches.
 */
export function hideSensitive(given: Members, paths: readonly SensitivePath[]): Shown {
  const attributes: Container = { ...given };
  const secrets = new Set<string>();
  const hiddenAt: string[] = [];
  for (const path of paths) {
    const place = placeOf(attributes, path);
    if (place === undefined) return allHidden(given);
    const { holder, key, depth } = place;
    collectTexts(holder[key], secrets);
    holder[key] = hidden;
    hiddenAt.push(path.slice(0, depth).join(".")); // a step further may be an element of a set
  }
  if (secrets.size === 0) return { attributes, hiddenAt };
  return { attributes: withoutCopies(attributes, secrets) as Members, hiddenAt }; // of the same shape
}

type Place = { readonly holder: Container; readonly key: string | number; readonly depth: number };

/** The last place on the path that exists; undefined when not even the first does. */
function placeOf(attributes: Container, path: SensitivePath): Place | undefined {
  let place: Place | undefined;
  let from: unknown = attributes;
  for (const [depth, key] of path.entries()) {
    if (place !== undefined && isDynamic(from)) {
      if (key === undefined || Object.hasOwn(from, key)) return place; // or it is not a wrapper: this cannot be told
      from["type"] = hidden; // the type contains the names of the members
      place = { holder: from, key: "value", depth };
      from = from["value"];
    }
    if (key === undefined || !holds(from, key)) return place;
    place = { holder: from, key, depth: depth + 1 };
    from = from[key];
  }
  return place;
}

/** Terraform's wrapper for a value of dynamic type; paths have no step for it. */
function isDynamic(from: unknown): from is Container {
  if (!isContainer(from) || Array.isArray(from)) return false;
  return Object.keys(from).length === 2 && "value" in from && "type" in from;
}

/** A set is written as a list, but its elements have no numbers. */
function holds(from: unknown, key: string | number): from is Container {
  if (!isContainer(from) || (Array.isArray(from) && typeof key !== "number")) return false;
  return Object.hasOwn(from, key);
}

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isKeptNumber(value);

function collectTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === "string" && value !== "" && value !== hidden) texts.add(value);
  if (isContainer(value)) for (const inner of Object.values(value)) collectTexts(inner, texts);
}

function withoutCopies(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (typeof value === "string") return secrets.has(value) ? hidden : value;
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => withoutCopies(inner, secrets));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutCopies(inner, secrets)]),
  );
}

function allHidden(given: Members): Shown {
  const hiddenAt = Object.keys(given);
  return { attributes: Object.fromEntries(hiddenAt.map((name) => [name, hidden])), hiddenAt };
}

const isKey = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** An index is written as a value with its type; that of a set is the element itself. */
function indexOf(value: unknown): string | number | undefined {
  const inner = step.safeParse(value).data?.value;
  return isKey(inner) ? inner : undefined;
}
