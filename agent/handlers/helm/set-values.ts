import { invalidPlan } from "../../jobs/job-failure.ts";
import type { SetValue } from "./helm-run.ts";

type Tree = Record<string, unknown>;

/**
 * Builds a tree from values set by path: `a.b[0].c`, with `\.` for a dot in a name. A value of type string is text;
 * otherwise true, false, null and whole numbers have their own type.
 */
export function setValues(values: readonly SetValue[]): Readonly<Record<string, unknown>> {
  const root: Tree = {};
  for (const { name, value, isText } of values) {
    const path = pathOf(name);
    let at: Tree | unknown[] = root;
    for (const [depth, step] of path.slice(0, -1).entries()) {
      at = within(at, step, typeof path[depth + 1] === "number");
    }
    put(at, path.at(-1) ?? "", isText ? value : typed(value));
  }
  return root;
}

const mostIndex = 1_000;

function pathOf(name: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const part of name.match(/(?:\\.|[^.\\])+/g) ?? []) {
    const [, word = "", indexes = ""] = /^((?:\\.|[^[\\])*)((?:\[\d+\])*)$/s.exec(part) ?? [];
    if (word === "" && indexes === "")
      throw invalidPlan(`helm.values: ${name} is not a valid path`);
    if (word !== "") steps.push(word.replaceAll(/\\(.)/gs, "$1"));
    for (const [, index = ""] of indexes.matchAll(/\[(\d+)\]/g)) {
      if (Number(index) > mostIndex)
        throw invalidPlan(`helm.values: the list index in ${name} is too large`);
      steps.push(Number(index));
    }
  }
  if (steps.length === 0 || steps.includes("__proto__")) {
    throw invalidPlan(`helm.values: "${name}" is not a valid path`);
  }
  return steps;
}

function within(at: Tree | unknown[], step: string | number, isList: boolean): Tree | unknown[] {
  const known = get(at, step);
  const isFit = Array.isArray(known) === isList && typeof known === "object" && known !== null;
  const inner = isFit ? (known as Tree | unknown[]) : isList ? [] : {};
  put(at, step, inner);
  return inner;
}

function get(at: Tree | unknown[], step: string | number): unknown {
  return Array.isArray(at) ? at[Number(step)] : at[step];
}

function put(at: Tree | unknown[], step: string | number, value: unknown): void {
  if (Array.isArray(at)) {
    while (at.length < Number(step)) at.push(null);
    at[Number(step)] = value;
  } else at[step] = value;
}

function typed(value: string): unknown {
  if (value === "true" || value === "false") return value === "true";
  if (value === "null") return null;
  // A number with a leading 0 is an identifier.
  if (/^-?(?:0|[1-9]\d{0,15})$/.test(value)) return Number(value);
  return value;
}
