import type { Group } from "./owner-groups.ts";
import type { UsedDefinition } from "./usable-definitions.ts";

/** A block that is ours if its group is. */
export type GroupedBlock = {
  readonly group: number;
  /** Those around it and in it that have a group, too, within one template. */
  readonly outer: GroupedBlock | undefined;
  readonly inner: GroupedBlock[];
  /** Groups of the actions in it. */
  readonly uses: number[];
};

/** A block that is open, or the text as a whole. */
export type OwnerScope = {
  /** Variables that end with it; those of its heads, which all its branches see, come first. */
  readonly names: string[];
  heads: number;
  readonly group: Group;
  dot: Group;
  /** Whether the dot is that of a `with` or `range`. */
  isDotOfBlock: boolean;
  /** Whether a `with` or `range` is anywhere around it. */
  readonly isInPart: boolean;
  /** Of the template that it is in. */
  readonly definition: UsedDefinition | undefined;
  /** The innermost that has a group. */
  readonly block: GroupedBlock | undefined;
  /** How many around it have none. */
  readonly others: number;
  /** Of the loop that it is in. */
  readonly loop: Group;
};

/** A variable, and where it was declared. */
export type OwnerVariable = { readonly group: Group; readonly scope: OwnerScope };

const top: Omit<OwnerScope, "names"> = {
  heads: 0,
  group: undefined,
  dot: undefined,
  isDotOfBlock: false,
  isInPart: false,
  definition: undefined,
  block: undefined,
  others: 0,
  loop: undefined,
};

/** The blocks that are open where an action is, and the variables that it can see. */
export class OwnerScopes {
  /** All that have a group, those around others first. */
  readonly blocks: GroupedBlock[] = [];
  readonly #open: [OwnerScope, ...OwnerScope[]] = [{ ...top, names: [] }];
  readonly #variables = new Map<string, OwnerVariable[]>();

  get scope(): OwnerScope {
    return this.#open.at(-1) ?? this.#open[0];
  }

  variable(name: string): OwnerVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  declare(name: string, group: Group, isOfHead: boolean): void {
    const { scope } = this;
    const variables = this.#variables.get(name);
    if (variables === undefined) this.#variables.set(name, [{ group, scope }]);
    else variables.push({ group, scope });
    scope.names.push(name);
    if (isOfHead) scope.heads = scope.names.length;
  }

  open(word: string, group: Group): void {
    const { scope } = this;
    const hasDot = word === "with" || word === "range";
    this.#open.push({
      names: [],
      heads: 0,
      group,
      dot: hasDot ? group : scope.dot,
      isDotOfBlock: hasDot || scope.isDotOfBlock,
      isInPart: scope.isInPart || hasDot,
      definition: scope.definition,
      block: group === undefined ? scope.block : this.#blockOf(group, scope.block),
      others: scope.others + Number(group === undefined),
      loop: word === "range" ? group : scope.loop,
    });
  }

  /** What is around a template is nothing to what is in it. */
  openDefinition(definition: UsedDefinition | undefined): void {
    const { isInPart, others } = this.scope;
    this.#open.push({ ...top, names: [], definition, isInPart, others: others + 1 });
  }

  /** At an `else`: the dot is that around the block, and what the branch before has declared is gone. */
  turn(): void {
    const { scope } = this;
    const outer = this.#open.at(-2);
    if (outer === undefined) return;
    scope.dot = outer.dot;
    scope.isDotOfBlock = outer.isDotOfBlock;
    this.#forget(scope.names.splice(scope.heads));
  }

  /** After `else with` the dot is its own. */
  takeDot(): void {
    const { scope } = this;
    scope.dot = scope.group;
    scope.isDotOfBlock = true;
  }

  close(): void {
    if (this.#open.length === 1) return;
    this.#forget(this.#open.pop()?.names ?? []);
  }

  #forget(names: readonly string[]): void {
    for (const name of names) this.#variables.get(name)?.pop();
  }

  #blockOf(group: number, outer: GroupedBlock | undefined): GroupedBlock {
    const block: GroupedBlock = { group, outer, inner: [], uses: [] };
    outer?.inner.push(block);
    this.blocks.push(block);
    return block;
  }
}
