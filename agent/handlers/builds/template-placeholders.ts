import { findReferences } from "../../../shared/app-config/templates/find-references.ts";
import { templateActions } from "../../../shared/app-config/templates/template-actions.ts";
import type { Brands } from "../../../shared/brands.ts";

/** A text with templates, as it can be read before they are rendered. */
export type Placeheld = {
  readonly text: string;
  /** Whether it has templates that only a deploy can render. */
  readonly hasTemplates: boolean;
  /** Whether some of them decide what there is at all, so that the rest may be none of its language. */
  readonly hasBlocks: boolean;
  /** Where words are in it that stand for templates, in order. */
  readonly places: readonly number[];
};

const blockWords: ReadonlySet<string> = new Set(["if", "else", "with", "range", "end", "define"]);

/** Puts a word in the place of each template that reads `.svc`; lines keep their numbers. */
export function placehold(text: string, brands: Brands = []): Placeheld {
  const none = { text, hasTemplates: false, hasBlocks: false, places: [] };
  if (!text.includes("{{") || findReferences(text, brands).references.length === 0) return none;
  let [shown, at, hasBlocks] = ["", 0, false];
  const places: number[] = [];
  for (const { from, to, tokens } of templateActions(text)) {
    const [first] = tokens;
    hasBlocks ||= first?.kind === "word" && blockWords.has(first.value);
    const lines = text.slice(from, to).split("\n").length - 1;
    places.push(shown.length + from - at);
    shown += `${text.slice(at, from)}1${"\n".repeat(lines)}`;
    at = to;
  }
  return { text: shown + text.slice(at), hasTemplates: true, hasBlocks, places };
}
