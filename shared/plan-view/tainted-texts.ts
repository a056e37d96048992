import { hiddenValue } from "../hidden-value.ts";
import { listOf, textsIn, treeOf } from "../policies/inputs/judged-inputs.ts";

/** Members whose values are secret, whatever plan has them. */
const secretMembers = ["secrets", "secret_env_vars"];

/** The texts of a job's plan that are not in its twin for people: whatever they are found in is not shown as it is. */
export function taintedTexts(plan: unknown, twin: unknown): string[] {
  const found: (readonly string[])[] = [];
  const open: Pair[] = [{ name: "", value: plan, shown: twin }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, value, shown } = next;
    if (typeof shown === "string" && shown.includes(hiddenValue)) {
      found.push(typeof value === "string" ? hiddenParts(value, shown) : textsIn(value));
      continue;
    }
    if (secretMembers.includes(name)) found.push(textsIn(value));
    for (const inner of partsOf(value, shown)) open.push(inner);
  }
  return found.flat();
}

type Pair = { readonly name: string; readonly value: unknown; readonly shown: unknown };

function partsOf(value: unknown, shown: unknown): Pair[] {
  if (Array.isArray(value)) {
    const list = listOf(shown);
    return value.map((item: unknown, at) => ({ name: "", value: item, shown: list[at] }));
  }
  const members = treeOf(shown);
  return Object.entries(treeOf(value)).map(([name, inner]) => ({
    name,
    value: inner,
    shown: Object.hasOwn(members, name) ? members[name] : undefined,
  }));
}

/** What stands where the twin has the word for it; all of the text where that is not clear. */
function hiddenParts(text: string, shown: string): string[] {
  const [first = "", ...rest] = shown.split(hiddenValue);
  const last = rest.pop() ?? "";
  const isClear = text.startsWith(first) && text.endsWith(last);
  if (!isClear || first.length + last.length > text.length) return [text];
  const end = text.length - last.length;
  const parts: string[] = [];
  let from = first.length;
  for (const between of rest) {
    const at = between === "" ? -1 : text.indexOf(between, from);
    if (at === -1 || at + between.length > end) return [text];
    parts.push(text.slice(from, at));
    from = at + between.length;
  }
  return [...parts, text.slice(from, end)];
}
