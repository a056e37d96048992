import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

/** A column: its heading, and what it shows of an item. */
export type Column<Item> = {
  readonly head: string;
  readonly cell: (item: Item) => Html | string | number;
  /** Figures stand on the right; what is minor gives way on a telephone, what is spare on any but a wide screen. */
  readonly kind?: "figure" | "minor" | "minor figure" | "spare";
};

/** A real table. Its first column names the row. */
export function table<Item>(
  caption: string,
  columns: readonly Column<Item>[],
  items: readonly Item[],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ head, kind }) => html`<th scope="col" ${classOf(kind)}>${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => row(columns, item))}
      </tbody>
    </table>
  </div>`;
}

function row<Item>(columns: readonly Column<Item>[], item: Item): Html {
  return html`<tr>
    ${columns.map(({ cell, kind }, at) =>
      at === 0
        ? html`<th scope="row" ${classOf(kind)}>${cell(item)}</th>`
        : html`<td ${classOf(kind)}>${cell(item)}</td>`,
    )}
  </tr>`;
}

const classOf = (kind: Column<unknown>["kind"]): Html | string =>
  kind === undefined ? "" : raw(`class="${kind}"`);

/** What stands where a list would, when it has nothing: why, and what to do next. */
export function empty(title: string, next: Html | string): Html {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${next}</p>
  </div>`;
}

/** The way to the next page of a list, and back to its first. */
export function pager(address: URL | string, nextCursor: string | null): Html {
  const url = new URL(address, "http://svc");
  const hasEarlier = url.searchParams.has("cursor");
  if (nextCursor === null && !hasEarlier) return html``;
  url.searchParams.delete("cursor");
  const first = url.pathname + url.search;
  if (nextCursor !== null) url.searchParams.set("cursor", nextCursor);
  return html`<nav class="pager" aria-label="Pages">
    ${hasEarlier ? html`<a class="button" href="${first}">Newest</a>` : ""}
    ${nextCursor === null ? "" : html`<a class="button" href="${url.pathname + url.search}" rel="next">Older</a>`}
  </nav>`;
}
