import { isReadable, pipelineAt } from "./is-readable.ts";
import { type Group, OwnerGroups, ours } from "./owner-groups.ts";
import { OwnerScopes } from "./owner-scopes.ts";
import { isDot, isRoot } from "./root-tokens.ts";
import { type Action, type SpendSteps, templateActions, type Token } from "./template-actions.ts";
import { templateFunctions } from "./template-functions.ts";
import { newDefinition, type UsedDefinition, usableDefinitions } from "./usable-definitions.ts";
import { type Use, VariableUses } from "./variable-uses.ts";

/** What of a text is ours though it does not show where it stands. */
export type Owned = {
  /** Where actions begin that set variables which actions of ours use. */
  readonly actions: ReadonlySet<number>;
  /** The templates that are defined for actions of ours, by name: whether all are called with the whole. */
  readonly definitions: ReadonlyMap<string, boolean>;
  /** The names of all that are defined, also by another program. */
  readonly defined: ReadonlySet<string>;
};

const none: Owned = { actions: new Set(), definitions: new Map(), defined: new Set() };
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
  readonly #groups = new OwnerGroups();
  readonly #scopes = new OwnerScopes();
  readonly #uses = new VariableUses(this.#groups);
  readonly #definitions = new Map<string, UsedDefinition>();
  readonly #setters = new Map<number, number>();

  constructor(roots: ReadonlySet<string>) {
    this.#roots = roots;
  }

  read(action: Action): void {
    const { tokens, from } = action;
    const [first, second] = tokens;
    const word = first?.kind === "word" ? first.value : "";
    if (word === "end") return this.#scopes.close();
    if (word === "else") return this.#readElse(action);
    const name = second?.kind === "text" ? second.value : undefined;
    const called = name === undefined ? undefined : this.#calledBy(word, name, tokens);
    const set = setIn(tokens);
    const group = this.#groups.join(this.#groupsSetBy(tokens, set));
    const { definition, loop } = this.#scopes.scope;
    if (group !== undefined) {
      called?.joined.push(group);
      definition?.joined.push(group);
      this.#noteUse(action, word, { group, called: called?.group });
    }
    if (definition !== undefined && called !== undefined) definition.joined.push(called.group);
    const isText = tokens.length === 1 && first?.kind === "text";
    if (definition !== undefined && group === undefined && called === undefined && !isText)
      definition.isOther = true;
    if (word === "break" || word === "continue") this.#uses.exclude(loop);
    if (word === "define" || word === "block") this.#scopes.openDefinition(called);
    else if (heads.has(word)) this.#scopes.open(word, group);
    if (tokens[set]?.value === ":=" && group !== undefined) this.#setters.set(from, group);
    this.#declare(tokens, set, group);
  }

  end(): Owned {
    const all = [...this.#definitions.values()];
    const usable = usableDefinitions(all);
    for (const { group, joined, isOther } of usable) {
      this.#groups.join(isOther ? [group, ...joined] : [ours, group, ...joined]);
      if (isOther) this.#uses.exclude(group);
    }
    const isOurs = this.#uses.settle(this.#scopes.blocks);
    const definitions = usable.filter(({ group }) => isOurs(group));
    const actions = [...this.#setters].filter(([, group]) => isOurs(group));
    return {
      actions: new Set(actions.map(([from]) => from)),
      definitions: new Map(definitions.map(({ name, isWhole }) => [name, isWhole])),
      defined: new Set(all.flatMap(({ name, isDefined }) => (isDefined ? [name] : []))),
    };
  }

  /** The groups of an action; one that sets a variable to what we know has one of its own. */
  #groupsSetBy(tokens: readonly Token[], set: number): readonly number[] {
    const groups = this.#groupsOf(tokens);
    if (set === -1 || groups.length > 0) return groups;
    const isWhole = this.#isWhole(tokens.slice(set + 1));
    if (!isWhole && !this.#isKnown(tokens, set + 1)) return groups;
    const made = this.#groups.make();
    if (isWhole) this.#uses.exclude(made);
    return [made];
  }

  #noteUse(action: Action, word: string, use: Pick<Use, "group" | "called">): void {
    const { tokens } = action;
    const set = setIn(tokens);
    const begin = tokens[set]?.value === ":=" ? set + 1 : pipelineAt(word);
    const changesAll = tokens.some(({ kind, value }) => kind === "word" && value === "set");
    const changed = tokens.filter(
      ({ kind }, at) => kind === "variable" && at >= begin && (changesAll || at < set),
    );
    this.#uses.note({
      ...use,
      scope: this.#scopes.scope,
      isKnown:
        use.group === ours ||
        (this.#isKnown(tokens, begin, { withGroups: true }) && isReadable(word, action)),
      changed: changed.map(({ value }) => this.#scopes.variable(value)),
    });
  }

  #declare(tokens: readonly Token[], set: number, group: Group): void {
    if (tokens[set]?.value !== ":=") return;
    const isOfHead = tokens[0]?.kind === "word";
    for (const { kind, value } of tokens.slice(0, set))
      if (kind === "variable") this.#scopes.declare(value, group, isOfHead);
  }

  /** The template that an action defines or calls; `values` are those after its name. */
  #calledBy(word: string, name: string, tokens: readonly Token[]): UsedDefinition | undefined {
    if (word !== "define" && word !== "block" && word !== "template") {
      if (word === "include") this.#definition(name).isIncluded = true;
      return undefined;
    }
    const called = this.#definition(name);
    if (word !== "template") called.isDefined = true;
    if (word === "define") return called;
    called.isCalled = true;
    const { definition, isInPart } = this.#scopes.scope;
    const values = tokens.slice(2);
    const isDotAlone = values.length === 1 && isDotOrWhole(values[0]);
    const isKnown = this.#isKnown(tokens, 2);
    const isGiven = isDotAlone ? !this.#isOtherDot(values[0]) : isKnown;
    if (!isGiven && this.#groupsOf(values).length === 0 && definition === undefined)
      called.isIncluded = true;
    if (values.length > 0 && !isKnown) definition?.gives.push(called);
    if (!isDotAlone || isInPart) called.isWhole = false;
    else definition?.passesTo.push(called);
    return called;
  }

  /** Whether it is the dot of another program's block. */
  #isOtherDot(token: Token | undefined): boolean {
    const { dot, isDotOfBlock } = this.#scopes.scope;
    return token?.value === "." && isDotOfBlock && dot === undefined;
  }

  #definition(name: string): UsedDefinition {
    const found = this.#definitions.get(name);
    if (found !== undefined) return found;
    const made = newDefinition(name, this.#groups.make());
    this.#definitions.set(name, made);
    return made;
  }

  /** What an action reads that is not another program's. */
  #groupsOf(tokens: readonly Token[]): number[] {
    const { dot } = this.#scopes.scope;
    return tokens.flatMap((token, at) => {
      if (isRoot(this.#roots, tokens, at)) return [ours];
      const isVariable = token.kind === "variable";
      const group = isVariable ? this.#scopes.variable(token.value)?.group : dot;
      if (group === undefined || !(isVariable || isDot(tokens, at))) return [];
      const { isJoined = false, value = "" } = tokens[at + 1] ?? {};
      return isVariable && isJoined && this.#roots.has(value) ? [group, ours] : [group];
    });
  }

  /** Whether nothing of another program is in what follows a place; of what has a group, it may be said later. */
  #isKnown(tokens: readonly Token[], from: number, { withGroups = false } = {}): boolean {
    const { dot } = this.#scopes.scope;
    return tokens.every(({ kind, value }, at) => {
      if (at < from) return true;
      if (kind === "word") return literals.has(value) || templateFunctions.has(value);
      if (kind === "variable")
        return withGroups && this.#scopes.variable(value)?.group !== undefined;
      return isDot(tokens, at) ? withGroups && dot !== undefined : kind !== "letter";
    });
  }

  /** Whether a value is all that templates may read. Within a definition it may be anything. */
  #isWhole([token, ...others]: readonly Token[]): boolean {
    if (others.length > 0 || this.#scopes.scope.definition !== undefined) return false;
    return isDotOrWhole(token) && !this.#isOtherDot(token);
  }

  #readElse(action: Action): void {
    const { tokens } = action;
    const { group, definition } = this.#scopes.scope;
    this.#scopes.turn();
    const groups = this.#groupsOf(tokens);
    if (group !== undefined) {
      const joined = this.#groups.join([group, ...groups]) ?? group;
      this.#noteUse(action, "else", { group: joined, called: undefined });
      this.#declare(tokens, setIn(tokens), joined);
    } else {
      for (const one of groups) this.#uses.exclude(one);
      if (definition !== undefined && tokens.length > 1) definition.isOther = true;
    }
    if (tokens[1]?.value === "with") this.#scopes.takeDot();
  }
}

const isDotOrWhole = (token: Token | undefined): boolean =>
  token?.kind === "sign" ? token.value === "." : token?.kind === "variable" && token.value === "$";

/** Where an action sets variables. */
const setIn = (tokens: readonly Token[]): number =>
  tokens.findIndex(({ kind, value }) => kind === "sign" && /^:?=$/.test(value));
