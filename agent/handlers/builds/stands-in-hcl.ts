import { hclTokens } from "../../templates/hcl-tokens.ts";
import type { Placeheld } from "./template-placeholders.ts";

/**
 * Whether a file of variables is one as it is held: each word in the place of an action is in quotes, in a heredoc or comment, or is all
 * that is after a `=`.
 */
export function standsInHcl({ text, places }: Pick<Placeheld, "text" | "places">): boolean {
  let [next, before] = [0, ""];
  for (const { kind, text: token, at } of hclTokens(text)) {
    const end = at + token.length;
    const first = next;
    while ((places[next] ?? end) < end) next++;
    const isWithin = kind === "quoted" || kind === "heredoc" || kind === "comment";
    if (next > first && !isWithin) {
      const isWhole = token === "1" && /=[ \t]*$/.test(before);
      if (!isWhole || !endsHere.test(text.slice(end))) return false;
    }
    before = token;
  }
  return true;
}

/** Of a comment among templates, `}}` stays. */
const endsHere = /^[ \t]*(?:$|\r?\n|#|\/\/|\/\*|[,\]]|\}(?!\}))/;
