import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

/** A filter of a list: a choice where it has values, else a text. */
export type Filter = {
  readonly label: string;
  readonly values?: readonly string[];
  readonly placeholder?: string;
};
/** By the name of the query's member. */
export type Filters = Readonly<Record<string, Filter>>;
/** What an address asks for, by these filters. */
export type Asked<F extends Filters> = {
  -readonly [Name in keyof F]?: F[Name] extends { values: readonly (infer Value)[] }
    ? Value
    : string;
} & { cursor?: string };

/** What the address asks a list for, as the API takes it; the API says what is wrong with it. */
export function readFilters<F extends Filters>(query: URLSearchParams, filters: F): Asked<F> {
  const names = [...Object.keys(filters), "cursor"];
  const given = names.flatMap((name) => {
    const value = query.get(name)?.trim();
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as Asked<F>;
}

/** Whether an address narrows a list. */
export function isFiltered(query: URLSearchParams, filters: Filters): boolean {
  return Object.keys(filters).some((name) => query.get(name)?.trim());
}

/** The filters as a form whose answer is an address, which can be kept and sent to others. */
export function filterForm(path: string, query: URLSearchParams, filters: Filters): Html {
  if (Object.keys(filters).length === 0) return html``;
  return html`<form class="filters" method="get" action="${path}" role="search">
    ${Object.entries(filters).map(([name, filter]) => field(name, filter, query.get(name) ?? ""))}
    <button>Filter</button>
    ${isFiltered(query, filters) ? html`<a class="button" href="${path}">Clear</a>` : ""}
  </form>`;
}

function field(name: string, { label, values, placeholder = "" }: Filter, value: string): Html {
  if (values === undefined) {
    return html`<label
      >${label}<input name="${name}" value="${value}" placeholder="${placeholder}"
    /></label>`;
  }
  return html`<label
    >${label}<select name="${name}">
      <option value="">any</option>
      ${values.map((one) => html`<option ${one === value ? raw("selected") : ""}>${one}</option>`)}
    </select></label
  >`;
}
