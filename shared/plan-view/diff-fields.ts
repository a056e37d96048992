import { isDeepStrictEqual } from "node:util";
import { isTree, type Tree } from "../policies/inputs/judged-inputs.ts";
import { viewBounds, type ViewField } from "./plan-view.ts";
import { cutText, type Hide, shownValue } from "./shown-value.ts";
import { hiddenWords } from "./text-hider.ts";

/** A value before and after, and which parts of it terraform marks. */
export type Sides = {
  readonly before?: unknown;
  readonly after?: unknown;
  readonly unknown?: unknown;
  readonly beforeSensitive?: unknown;
  readonly afterSensitive?: unknown;
};

export type DiffRules = {
  readonly hide: Hide;
  /** Two hidden values look equal, and may differ. */
  readonly isUpdate: boolean;
  /** Paths of which a change replaces the whole. */
  readonly forcing?: ReadonlySet<string>;
  readonly isSensitive?: (path: string) => boolean;
};

export type ShownFields = { readonly fields: readonly ViewField[]; readonly isCut: boolean };

const mostDepth = 40;

/** The values within two versions of a thing that differ, each by its path; no more of them than a view may have. */
export function diffFields(sides: Sides, rules: DiffRules, root = ""): ShownFields {
  const fields: ViewField[] = [];
  const isCut = !compare({ ...sides, path: root, depth: 0, forces: false }, { ...rules, fields });
  return { fields, isCut };
}

type Place = Sides & { readonly path: string; readonly depth: number; readonly forces: boolean };
type Diff = DiffRules & { readonly fields: ViewField[] };

/** False when there are more than may be shown. */
function compare(place: Place, diff: Diff): boolean {
  const { before, after, path } = place;
  const forces = place.forces || diff.forcing?.has(path) === true;
  const isUnknown = place.unknown === true;
  if (!isMarked(place) && !isUnknown && hasMembers(place)) {
    return compareMembers({ ...place, forces }, diff);
  }
  // A part that is marked cannot be told apart in a value that is shown as a whole.
  const isSensitive = isMarked(place) || hasMarkedPart(place) || diff.isSensitive?.(path) === true;
  const mayDiffer = diff.isUpdate && (hiddenWords.has(before) || hiddenWords.has(after));
  if (!isUnknown && !mayDiffer && isSame(before, after)) return true;
  if (diff.fields.length >= viewBounds.fields) return false;
  const values = shownSides(place, diff.hide);
  const isHidden = isSensitive || hiddenWords.has(values.before) || hiddenWords.has(values.after);
  diff.fields.push({
    path: cutText(diff.hide(path), viewBounds.nameBytes).text,
    ...(!isHidden && values),
    ...(isUnknown && { is_unknown: true }),
    ...(isHidden && { is_sensitive: true }),
    ...(forces && { forces_replacement: true }),
  });
  return true;
}

const hasMarkedPart = ({ beforeSensitive, afterSensitive }: Sides): boolean =>
  holdsMark(beforeSensitive) || holdsMark(afterSensitive);

const isMarked = ({ beforeSensitive, afterSensitive }: Sides): boolean =>
  beforeSensitive === true || afterSensitive === true;

function shownSides({ before, after, unknown }: Sides, hide: Hide): Omit<ViewField, "path"> {
  const [from, to] = [shownValue(before, hide), shownValue(after, hide)];
  return {
    ...(before != null && { before: from.value }),
    ...(after != null && unknown !== true && { after: to.value }),
    ...((from.isCut || to.isCut) && { is_cut: true }),
  };
}

/** Whether what differs is told member by member: of trees, and of lists of anything but plain values. */
function hasMembers({ depth, ...sides }: Place): boolean {
  if (depth >= mostDepth) return false;
  const { before, after, unknown, beforeSensitive, afterSensitive } = sides;
  if (isEmpty(before) && isEmpty(after) && isEmpty(unknown)) return false;
  const values = [before, after].filter((one) => one != null);
  if (values.every(isTree)) return true;
  if (!values.every((one) => Array.isArray(one))) return false;
  const marks = [unknown, beforeSensitive, afterSensitive];
  return values.some((list) => list.some(isObject)) || marks.some(holdsMark);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isEmpty = (value: unknown): boolean =>
  value == null || (isObject(value) && Object.keys(value).length === 0);
const holdsMark = (marks: unknown): boolean =>
  isObject(marks) && Object.values(marks).some((mark) => mark === true || isObject(mark));

function compareMembers(place: Place, diff: Diff): boolean {
  const { path, depth, forces, before, after, unknown } = place;
  const isList = Array.isArray(before ?? after ?? unknown);
  // Marks know items by their places.
  const marks = [unknown, place.beforeSensitive, place.afterSensitive];
  const isUnmarked = isList && marks.every((one) => one === undefined);
  const byName = isUnmarked && [before, after].every((list) => list == null || areNamed(list));
  const [old, now] = byName ? [named(before), named(after)] : [before, after];
  const names = new Set([old, now, unknown].flatMap(keysOf));
  for (const name of names) {
    const inner = {
      before: member(old, name),
      after: member(now, name),
      unknown: member(unknown, name),
      beforeSensitive: member(place.beforeSensitive, name),
      afterSensitive: member(place.afterSensitive, name),
      path: isList ? `${path}[${name}]` : joined(path, name),
      depth: depth + 1,
      forces,
    };
    if (!compare(inner, diff)) return false;
  }
  return true;
}

/** Items of Kubernetes are known by their names, not by their places: containers, ports, variables. */
function areNamed(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const names = list.map((item) => (isTree(item) ? item["name"] : undefined));
  return names.every((name) => typeof name === "string") && new Set(names).size === names.length;
}

function named(list: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined;
  return new Map(list.map((item: Tree) => [String(item["name"]), item])); // as areNamed has it
}

function keysOf(value: unknown): string[] {
  if (value instanceof Map) return [...(value as Map<string, unknown>).keys()];
  return isObject(value) ? Object.keys(value) : [];
}

function member(value: unknown, name: string): unknown {
  if (value instanceof Map) return (value as Map<string, unknown>).get(name);
  return isObject(value) && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // it has that member
    : undefined;
}

function joined(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before == null || after == null) return before == null && after == null;
  if (!isObject(before) || !isObject(after)) return before === after;
  try {
    return isDeepStrictEqual(before, after);
  } catch {
    return false; // too deep to be compared
  }
}
