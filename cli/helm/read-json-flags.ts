import { UsageError } from "../../shared/command-line/usage-error.ts";

type Tree = Record<string, unknown>;

/**
 * What --set-json sets, as one more file of values: a whole object, or `a.b=JSON` and more of them after a comma. A
 * UsageError, which repeats no value, for what is neither.
 */
export function readJsonFlags(given: readonly string[]): string | undefined {
  const root: Tree = {};
  for (const one of given) {
    const whole = jsonOf(one);
    if (isTree(whole)) merge(root, whole);
    else for (const { path, value } of pairsOf(one)) merge(root, treeOf(path, value));
  }
  return given.length === 0 ? undefined : `${JSON.stringify(root)}\n`;
}

type Pair = { readonly path: readonly string[]; readonly value: unknown };

function pairsOf(given: string): Pair[] {
  const pairs: Pair[] = [];
  for (let rest = given; rest !== "";) {
    const [head, name] = /^((?:\\[^]|[^=\\])+)=/.exec(rest) ?? [];
    if (head === undefined || name === undefined) throw unfit();
    const { value, length } = firstJson(rest.slice(head.length), name);
    pairs.push({ path: pathOf(name), value });
    rest = rest.slice(head.length + length).replace(/^\s*,/, "");
  }
  return pairs;
}

/** The JSON up to the end, or up to the first comma that does not belong to it. */
function firstJson(text: string, name: string): { readonly value: unknown; length: number } {
  for (let end = text.indexOf(","); end !== -1; end = text.indexOf(",", end + 1)) {
    const value = jsonOf(text.slice(0, end));
    if (value !== undefined) return { value, length: end };
  }
  const value = jsonOf(text);
  if (value === undefined) throw new UsageError(`--set-json ${name}: the value is no JSON.`);
  return { value, length: text.length };
}

function pathOf(name: string): string[] {
  const steps = (name.match(/(?:\\[^]|[^.\\])+/g) ?? []).map((step) =>
    step.replaceAll(/\\([^])/g, "$1"),
  );
  if (steps.length === 0 || steps.includes("__proto__")) throw unfit();
  if (!steps.some((step) => /\[\d+\]$/.test(step))) return steps;
  throw new UsageError(`--set-json ${name}: give the whole list, or the item by --set.`);
}

const unfit = (): UsageError =>
  new UsageError("--set-json takes an object, or NAME=JSON and more of them after a comma.");

const treeOf = (path: readonly string[], value: unknown): Tree =>
  // A path has a step at least, so this is an object.
  path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Tree;

/** As helm puts one file of values over another. */
function merge(into: Tree, from: Tree): void {
  for (const [name, value] of Object.entries(from)) {
    const known = Object.hasOwn(into, name) ? into[name] : undefined;
    if (name === "__proto__") throw unfit();
    if (isTree(known) && isTree(value)) merge(known, value);
    else into[name] = value;
  }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
