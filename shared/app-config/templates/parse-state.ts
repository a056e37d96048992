import type { Owned } from "./find-owned.ts";
import { TemplateFault } from "./parse-pipeline.ts";
import { isDot, isRoot } from "./root-tokens.ts";
import type { Action, Token } from "./template-actions.ts";
import type { TemplateDefinition } from "./template-nodes.ts";
import { type TemplateScopes, wholeSlot } from "./template-scopes.ts";

/** A text that is being parsed. */
export type ParseState = {
  readonly text: string;
  readonly roots: ReadonlySet<string>;
  readonly owned: Owned;
  readonly scopes: TemplateScopes;
  readonly other: (tokens: readonly Token[]) => void;
  /** The templates that are defined in it or called, by name. */
  readonly definitions: Map<string, TemplateDefinition>;
  /** Where what is not yet in a node begins, and whether its first white space is left out. */
  from: number;
  trims: boolean;
};

/** Whether an action reads a root, or what a block of ours or a variable has of it, or writes a text. */
export function isOurs({ roots, owned, scopes }: ParseState, { tokens, from }: Action): boolean {
  if (tokens.length === 1 && tokens[0]?.kind === "text") return true;
  if (owned.actions.has(from)) return true;
  const hasDot = scopes.frame.dot !== wholeSlot;
  return tokens.some((token, at) => {
    if (token.kind === "variable") {
      const slot = scopes.slotOf(token.value);
      if (slot !== wholeSlot) return slot !== undefined;
    }
    return isRoot(roots, tokens, at) || (hasDot && isDot(tokens, at));
  });
}

/** What is before an action of ours stays as it is; the action itself is none of the text. */
export function takeAction(parse: ParseState, { from, to, trimsBefore, trimsAfter }: Action): void {
  takeText(parse, from, trimsBefore);
  parse.from = to;
  parse.trims = trimsAfter;
}

/** Makes a node of the text up to a place. */
export function takeText(parse: ParseState, to: number, trimsEnd: boolean): void {
  let { from } = parse;
  let until = to;
  if (parse.trims) while (from < until && isSpace(parse.text, from)) from++;
  if (trimsEnd) while (until > from && isSpace(parse.text, until - 1)) until--;
  const text = parse.text.slice(from, until);
  if (text !== "") parse.scopes.frame.nodes.push({ kind: "text", text });
}

const isSpace = (text: string, at: number): boolean => " \t\r\n".includes(text.charAt(at));

/** The template of a name; one that is not yet defined has no place. */
export function definitionOf({ definitions }: ParseState, name: string, at: number) {
  const found = definitions.get(name);
  if (found !== undefined) return found;
  const made: TemplateDefinition = {
    name,
    calledAt: at,
    at: undefined,
    dot: wholeSlot,
    nodes: [],
    calls: [],
  };
  definitions.set(name, made);
  return made;
}

/** The name that an action of a template has, which must be in quotes. Throws TemplateFault. */
export function nameIn({ tokens, from }: Action): string {
  const [word, name] = tokens;
  if (name?.kind === "text") return name.value;
  throw new TemplateFault(name?.at ?? from, `${word?.value} takes a name in quotes`);
}
