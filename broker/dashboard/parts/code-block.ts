import { html } from "hono/html";
import type { Html } from "../page.ts";
import { indentJson } from "./indent-json.ts";

const mostShown = 256 * 1024;

/** A text as it is, which scrolls by itself; of a long one its beginning, and where the rest is. */
export function codeBlock(label: string, text: string, rest = ""): Html {
  return block(label, text.slice(0, mostShown), cutWords(text, text.length > mostShown, rest));
}

/** A JSON text with a line for each member, shown as a text is. No more of it is read than is shown. */
export function jsonBlock(label: string, text: string, rest = ""): Html {
  const { shown, isCut } = indentJson(text, mostShown);
  return block(label, shown, cutWords(text, isCut, rest));
}

function block(label: string, shown: string, cut: Html | string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}">${shown}</pre>
    ${cut}`;
}

function cutWords({ length }: string, isCut: boolean, rest: string): Html | string {
  if (!isCut) return "";
  return html`<p class="dim">
    The first ${mostShown / 1024} KiB; all of it has ${Math.ceil(length / 1024)} KiB. ${rest}
  </p>`;
}
