import { configLimits, type Path } from "./config-fault.ts";

/** What is in a value. */
export type ValueCounts = {
  /** Tables, lists and what is in them. */
  readonly values: number;
  /** Of its texts and names. */
  readonly bytes: number;
  /** The first that has too many levels above it. */
  readonly tooDeep: Path | undefined;
};

type Open = {
  readonly value: object;
  readonly depth: number;
  readonly key: string | number;
  readonly above: Open | undefined;
};

/** Counts what is in a value, without a stack of calls, and no further than it takes to pass the bound. */
export function countValues(value: unknown, mostValues: number): ValueCounts {
  let values = 1;
  let bytes = typeof value === "string" ? Buffer.byteLength(value) : 0;
  const open: Open[] = isOpen(value) ? [{ value, depth: 0, key: "", above: undefined }] : [];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const isList = Array.isArray(here.value);
    for (const key of Object.keys(here.value)) {
      const one: unknown = (here.value as Record<string, unknown>)[key];
      values++;
      if (values > mostValues) return { values, bytes, tooDeep: undefined };
      if (!isList) bytes += Buffer.byteLength(key);
      if (typeof one === "string") bytes += Buffer.byteLength(one);
      const below = { key: isList ? Number(key) : key, depth: here.depth + 1, above: here };
      if (below.depth > configLimits.depth) return { values, bytes, tooDeep: pathOf(below) };
      if (isOpen(one)) open.push({ ...below, value: one });
    }
  }
  return { values, bytes, tooDeep: undefined };
}

const isOpen = (value: unknown): value is object => typeof value === "object" && value !== null;

function pathOf(last: Omit<Open, "value">): Path {
  const path = [last.key];
  for (let at = last.above; at?.above !== undefined; at = at.above) path.push(at.key);
  return path.toReversed();
}
