import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** A description with its \`code\` marked up. */
export function prose(text: string): HtmlEscapedString | Promise<HtmlEscapedString> {
  const parts = text.split("`");
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
