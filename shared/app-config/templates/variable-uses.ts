import { type Group, OwnerGroups, ours } from "./owner-groups.ts";
import type { GroupedBlock, OwnerScope, OwnerVariable } from "./owner-scopes.ts";
import { mostBlocks } from "./template-scopes.ts";

/** An action with a group. */
export type Use = {
  readonly group: number;
  readonly scope: OwnerScope;
  /** Whether we could do all that it does. */
  readonly isKnown: boolean;
  /** Those whose value it changes. */
  readonly changed: readonly (OwnerVariable | undefined)[];
  /** The group of the template that it calls. */
  readonly called: Group;
};

/** A variable that is changed in a block within the one in which it is declared. */
type Change = {
  readonly group: number;
  readonly block: GroupedBlock | undefined;
  readonly until: GroupedBlock | undefined;
};

/**
 * Where variables are used: those of which we know all values are ours where a block of ours has a use of them, though no action
 * reads them together with `.svc`.
 */
export class VariableUses {
  readonly #groups: OwnerGroups;
  /** With something in them that we do not know. */
  readonly #unknown = new Set<number>();
  readonly #changes: Change[] = [];
  readonly #calls: (readonly [group: number, called: number])[] = [];

  constructor(groups: OwnerGroups) {
    this.#groups = groups;
  }

  /** Not ours, unless an action of ours reads it. */
  exclude(group: Group): void {
    if (group !== undefined) this.#unknown.add(group);
  }

  note({ group, scope, isKnown, changed, called }: Use): void {
    if (!isKnown) this.#unknown.add(group);
    if (called !== undefined) this.#calls.push([group, called]);
    for (const variable of changed) this.#noteChange(scope, variable);
    const uses = scope.block?.uses;
    if (uses !== undefined && uses.at(-1) !== group) uses.push(group);
  }

  #noteChange({ block, others }: OwnerScope, variable: OwnerVariable | undefined): void {
    if (variable?.group === undefined) return;
    const { group, scope } = variable;
    if (others !== scope.others) this.#unknown.add(group);
    else if (block !== scope.block) this.#changes.push({ group, block, until: scope.block });
  }

  /** Once all groups are known that are ours in any case: whether one is. */
  settle(blocks: readonly GroupedBlock[]): (group: number) => boolean {
    const groups = this.#groups;
    const sets = new OwnerGroups(groups.count);
    for (let one = 1; one < groups.count; one++)
      if (!groups.isOurs(one)) sets.join([one, groups.rootOf(one)]);
    const deciding = this.#joinChanges(sets);
    for (const [group, called] of this.#calls) if (!groups.isOurs(called)) this.#unknown.add(group);
    const barred = new Set<number>();
    for (const one of this.#unknown) if (!groups.isOurs(one)) barred.add(sets.rootOf(one));
    const waiting = new Map<number, GroupedBlock[]>();
    const found: GroupedBlock[] = [];
    for (const block of blocks)
      if (groups.isOurs(block.group)) found.push(block);
      else blocksOf(waiting, sets.rootOf(block.group)).push(block);
    const take = (group: number): void => {
      const set = sets.rootOf(group);
      if (groups.isOurs(group) || set === ours || barred.has(set)) return;
      sets.join([ours, set]);
      for (const block of waiting.get(set) ?? []) found.push(block);
    };
    for (const one of deciding) take(one);
    const seen = new Set<GroupedBlock>();
    for (const block of found) {
      if (seen.has(block)) continue;
      seen.add(block);
      for (const one of block.uses) take(one);
      for (const inner of block.inner) found.push(inner);
    }
    return (group) => groups.isOurs(group) || sets.isOurs(group);
  }

  /** What is changed in a block has the values that we know only where that is ours, too. Answers the groups of blocks that change ours. */
  #joinChanges(sets: OwnerGroups): ReadonlySet<number> {
    const deciding = new Set<number>();
    for (const { group, block, until } of this.#changes) {
      const around = blocksUntil(block, until);
      if (around === undefined) this.#unknown.add(group);
      for (const { group: one } of around ?? []) {
        if (this.#groups.isOurs(one)) continue;
        if (this.#groups.isOurs(group)) deciding.add(one);
        else sets.join([group, one]);
      }
    }
    return deciding;
  }
}

/** The blocks from one outwards; undefined where they are more than ours can be. */
function blocksUntil(
  from: GroupedBlock | undefined,
  until: GroupedBlock | undefined,
): readonly GroupedBlock[] | undefined {
  const found: GroupedBlock[] = [];
  for (let one = from; one !== undefined && one !== until; one = one.outer) {
    if (found.length === mostBlocks) return undefined;
    found.push(one);
  }
  return found;
}

function blocksOf(all: Map<number, GroupedBlock[]>, set: number): GroupedBlock[] {
  const found = all.get(set);
  if (found !== undefined) return found;
  const made: GroupedBlock[] = [];
  all.set(set, made);
  return made;
}
