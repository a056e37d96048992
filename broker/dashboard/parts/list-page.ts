import { html } from "hono/html";
import type { Permission } from "../../../shared/permissions.ts";
import type { LiveTopic } from "../live/live-topics.ts";
import type { Html, Page, View } from "../page.ts";
import { type Choice, choices } from "./choices.ts";
import { type Asked, filterForm, type Filters, isFiltered, readFilters } from "./filters.ts";
import { empty, pager } from "./table.ts";

/** A page of the API's list. */
type Listed<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/** What a list of the API is made a page by. */
export type ListOf<Item, F extends Filters> = {
  readonly path: string;
  readonly permission: Permission;
  readonly title: string;
  readonly icon: string;
  /** What one of its items is called: "queue". */
  readonly one: string;
  readonly filters: F;
  readonly read: (view: View, asked: Asked<F>) => Promise<Listed<Item>>;
  readonly show: (items: readonly Item[], view: View) => Html | Promise<Html>;
  /** What is said where there are none at all: how to get one, or what one is. */
  readonly whenNone: Html | string;
  /** What can be done here, above the list. */
  readonly acts?: readonly Choice[];
  /** What changes its first page; the others stand still. A list that changes is shared (`Page.isShared`). */
  readonly live?: readonly LiveTopic[];
};

/** A page with the filters of a list, its items, and the way to older ones. */
export function listPage<Item, const F extends Filters>(of: ListOf<Item, F>): Page {
  const { path, permission, title, icon, filters, acts = [], live = [] } = of;
  return {
    path,
    permission,
    nav: { label: title, icon },
    isShared: live.length > 0,
    async render(view) {
      const asked = readFilters(view.query, filters);
      const { items, next_cursor: next } = await of.read(view, asked);
      const shown = items.length === 0 ? nothing(of, view, next) : await of.show(items, view);
      return {
        title,
        live: view.query.has("cursor") ? [] : live,
        main: html`<h1>${title}</h1>
          ${choices(view, acts)} ${filterForm(path, view.query, filters)} ${shown}
          ${pager(view.address, next)}`,
      };
    },
  };
}

function nothing<Item, F extends Filters>(
  { path, title, one, filters, whenNone }: ListOf<Item, F>,
  view: View,
  next: string | null,
): Html {
  const all = title.toLowerCase();
  if (!isFiltered(view.query, filters)) return empty(`No ${all} yet`, whenNone);
  const more = next === null ? "" : "Go on to older ones: not all were looked through. ";
  return empty(`No ${one} fits these filters`, html`${more}<a href="${path}">Show all ${all}</a>`);
}
