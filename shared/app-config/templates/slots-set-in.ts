import type { TemplateBranch, TemplateNode } from "./template-nodes.ts";

const known = new WeakMap<TemplateBranch, ReadonlySet<number>>();

/** The variables that a branch of a block may set, whichever way it goes. */
export function slotsSetIn(branch: TemplateBranch): ReadonlySet<number> {
  const found = known.get(branch);
  if (found !== undefined) return found;
  const made = new Set([...branch.slots, ...branch.nodes.flatMap(slotsOf)]);
  known.set(branch, made);
  return made;
}

function slotsOf(node: TemplateNode): readonly number[] {
  const changed = "changes" in node && node.changes !== undefined ? [node.changes.slot] : [];
  if (node.kind === "set") return [...node.slots, ...changed];
  if (node.kind === "output") return changed;
  return node.kind === "block" ? node.branches.flatMap((one) => [...slotsSetIn(one)]) : [];
}
