import { isDot, isRoot } from "./root-tokens.ts";
import { type Action, type SpendSteps, templateActions, type Token } from "./template-actions.ts";
import { templateFunctions } from "./template-functions.ts";
import { type UsedDefinition, usableDefinitions } from "./usable-definitions.ts";

/** What of a text is ours though it does not show where it stands. */
export type Owned = {
  /** Where actions begin that set variables which actions of ours use. */
  readonly actions: ReadonlySet<number>;
  /** The templates that are defined for actions of ours, by name: whether all are called with the whole. */
  readonly definitions: ReadonlyMap<string, boolean>;
  /** The names of all that are defined, also by another program. */
  readonly defined: ReadonlySet<string>;
};

/** A group of actions, variables and templates that are ours or another program's together; undefined: another program's. */
type Group = number | undefined;
type Scope = {
  readonly names: string[];
  readonly dot: Group;
  readonly group: Group;
  /** Whether the dot is that of a `with` or `range`. */
  readonly isDotOfBlock: boolean;
  /** Whether a `with` or `range` is anywhere around it. */
  readonly isInPart: boolean;
  /** Of the template that it is in. */
  readonly definition: UsedDefinition | undefined;
};
const ours = 0;
const none: Owned = { actions: new Set(), definitions: new Map(), defined: new Set() };
const top: Omit<Scope, "names"> = {
  dot: undefined,
  group: undefined,
  isDotOfBlock: false,
  isInPart: false,
  definition: undefined,
};
const heads = new Set(["if", "with", "range", "define", "block"]);
const literals = new Set(["true", "false", "nil"]);

/** Looks through all actions of a text once, if it sets variables or defines templates. */
export function findOwned(
  text: string,
  roots: ReadonlySet<string>,
  spend: SpendSteps | undefined,
): Owned {
  if (!text.includes(":=") && !/\{\{-?\s*(?:define|block|template)\s/.test(text)) return none;
  const look = new OwnerLook(roots);
  for (const action of templateActions(text, spend))
    if (action.fault === undefined && action.tokens.length > 0) look.read(action);
  return look.end();
}

class OwnerLook {
  readonly #roots: ReadonlySet<string>;
  /** The group that each group is a part of. */
  readonly #parents: number[] = [ours];
  readonly #variables = new Map<string, Group[]>();
  readonly #scopes: [Scope, ...Scope[]];
  readonly #definitions = new Map<string, UsedDefinition>();
  readonly #setters = new Map<number, number>();

  constructor(roots: ReadonlySet<string>) {
    this.#roots = roots;
    this.#scopes = [{ ...top, names: [] }];
  }

  get #scope(): Scope {
    return this.#scopes.at(-1) ?? this.#scopes[0];
  }

  read({ tokens, from }: Action): void {
    const [first, second] = tokens;
    const word = first?.kind === "word" ? first.value : "";
    if (word === "end") return this.#close();
    if (word === "else") return this.#readElse(tokens);
    const name = second?.kind === "text" ? second.value : undefined;
    const called = name === undefined ? undefined : this.#calledBy(word, name, tokens.slice(2));
    const groups = this.#groupsOf(tokens);
    const set = tokens.findIndex(({ kind, value }) => kind === "sign" && /^:?=$/.test(value));
    const value = tokens.slice(set + 1);
    if (set !== -1 && groups.length === 0 && (this.#isKnown(value) || this.#isWhole(value)))
      groups.push(this.#makeGroup());
    const group = this.#join(groups);
    const { definition } = this.#scope;
    if (group !== undefined) {
      called?.joined.push(group);
      definition?.joined.push(group);
    }
    if (definition !== undefined && called !== undefined) definition.joined.push(called.group);
    const isText = tokens.length === 1 && first?.kind === "text";
    if (definition !== undefined && group === undefined && called === undefined && !isText)
      definition.isOther = true;
    if (heads.has(word)) this.#open(word, group, called);
    if (set === -1 || tokens[set]?.value !== ":=") return;
    if (group !== undefined) this.#setters.set(from, group);
    for (const { kind, value } of tokens.slice(0, set))
      if (kind === "variable") this.#declare(value, group);
  }

  end(): Owned {
    const all = [...this.#definitions.values()];
    const usable = usableDefinitions(all);
    for (const { group, joined, isOther } of usable)
      this.#join(isOther ? [group, ...joined] : [ours, group, ...joined]);
    const definitions = usable.filter(({ group }) => this.#isOurs(group));
    const actions = [...this.#setters].filter(([, group]) => this.#isOurs(group));
    return {
      actions: new Set(actions.map(([from]) => from)),
      definitions: new Map(definitions.map(({ name, isWhole }) => [name, isWhole])),
      defined: new Set(all.flatMap(({ name, isDefined }) => (isDefined ? [name] : []))),
    };
  }

  /** The template that an action defines or calls; `values` are those after its name. */
  #calledBy(word: string, name: string, values: readonly Token[]): UsedDefinition | undefined {
    if (word !== "define" && word !== "block" && word !== "template") {
      if (word === "include") this.#definition(name).isIncluded = true;
      return undefined;
    }
    const called = this.#definition(name);
    if (word !== "template") called.isDefined = true;
    if (word === "define") return called;
    called.isCalled = true;
    const { definition } = this.#scope;
    const isDotAlone = values.length === 1 && /^[.$]$/.test(values[0]?.value ?? "");
    const isGiven = isDotAlone ? !this.#isOtherDot(values[0]) : this.#isKnown(values);
    if (!isGiven && this.#groupsOf(values).length === 0 && definition === undefined)
      called.isIncluded = true;
    if (values.length > 0 && !this.#isKnown(values)) definition?.gives.push(called);
    if (!isDotAlone || this.#scope.isInPart) called.isWhole = false;
    else definition?.passesTo.push(called);
    return called;
  }

  /** Whether it is the dot of another program's block. */
  #isOtherDot(token: Token | undefined): boolean {
    const { dot, isDotOfBlock } = this.#scope;
    return token?.value === "." && isDotOfBlock && dot === undefined;
  }

  #definition(name: string): UsedDefinition {
    const found = this.#definitions.get(name);
    if (found !== undefined) return found;
    const group = this.#makeGroup();
    const state = { isDefined: false, isCalled: false, isIncluded: false };
    const made = {
      name,
      group,
      ...state,
      isOther: false,
      isWhole: true,
      passesTo: [],
      gives: [],
      joined: [],
    };
    this.#definitions.set(name, made);
    return made;
  }

  /** What an action reads that is not another program's. */
  #groupsOf(tokens: readonly Token[]): number[] {
    const { dot } = this.#scope;
    return tokens.flatMap((token, at) => {
      if (isRoot(this.#roots, tokens, at)) return [ours];
      const isVariable = token.kind === "variable";
      const group = isVariable ? this.#variables.get(token.value)?.at(-1) : dot;
      if (group === undefined || !(isVariable || isDot(tokens, at))) return [];
      const { isJoined = false, value = "" } = tokens[at + 1] ?? {};
      return isVariable && isJoined && this.#roots.has(value) ? [group, ours] : [group];
    });
  }

  /** Whether nothing of another program is in a value. */
  #isKnown(tokens: readonly Token[]): boolean {
    return tokens.every(({ kind, value, isJoined }) => {
      if (kind === "word") return literals.has(value) || templateFunctions.has(value);
      if (kind === "field") return isJoined;
      return kind !== "letter" && kind !== "variable" && value !== ".";
    });
  }

  /** Whether a value is all that templates may read. Within a definition it may be anything. */
  #isWhole([token, ...others]: readonly Token[]): boolean {
    if (others.length > 0 || this.#scope.definition !== undefined) return false;
    return token?.value === "$" || (token?.value === "." && !this.#isOtherDot(token));
  }

  #open(word: string, group: Group, called: UsedDefinition | undefined): void {
    const { dot, definition, isDotOfBlock, isInPart } = this.#scope;
    const isDefinition = word === "define" || word === "block";
    const hasDot = word === "with" || word === "range";
    this.#scopes.push({
      names: [],
      isDotOfBlock: word === "if" ? isDotOfBlock : hasDot,
      isInPart: isInPart || hasDot,
      dot: isDefinition ? undefined : word === "if" ? dot : group,
      group: isDefinition ? undefined : group,
      definition: isDefinition ? called : definition,
    });
  }

  #readElse(tokens: readonly Token[]): void {
    const { group, definition } = this.#scope;
    if (group !== undefined) this.#join([group, ...this.#groupsOf(tokens)]);
    else if (definition !== undefined && tokens.length > 1) definition.isOther = true;
  }

  #close(): void {
    if (this.#scopes.length === 1) return;
    for (const name of this.#scopes.pop()?.names ?? []) this.#variables.get(name)?.pop();
  }

  #declare(name: string, group: Group): void {
    const groups = this.#variables.get(name);
    if (groups === undefined) this.#variables.set(name, [group]);
    else groups.push(group);
    this.#scope.names.push(name);
  }

  #makeGroup(): number {
    return this.#parents.push(this.#parents.length) - 1;
  }

  #join(groups: readonly number[]): Group {
    const found = groups.map((one) => this.#rootOf(one));
    const root = found.includes(ours) ? ours : found[0];
    if (root !== undefined) for (const one of found) this.#parents[one] = root;
    return root;
  }

  #isOurs(group: number): boolean {
    return this.#rootOf(group) === ours;
  }

  #rootOf(group: number): number {
    let one = group;
    for (let next = this.#parents[one] ?? one; next !== one; next = this.#parents[one] ?? one) {
      this.#parents[one] = this.#parents[next] ?? next; // shorter for whoever asks next
      one = this.#parents[one] ?? one;
    }
    return one;
  }
}
