import type { ListRequest, PageKey } from "../../database/page-request.ts";
import type { AppContext } from "../app-types.ts";
import { namesProblem } from "../gate/names-problem.ts";
import { readPage, tellNext } from "./paginate.ts";
import { setHeader } from "./set-header.ts";

/** Which part of a list is wanted. A list whose `offset` is always there answers an array unless `cursor` is given. */
export type Paging = {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
};
/** Of a list that has no other form. */
type PagesAlone = { readonly hasPagesAlone?: true };

type Row = { readonly id: string; readonly sort_key: string };
type Page<Item> = { items: Item[]; next_cursor: string | null };

/** Rows of a search that may end before it has enough: the next page begins where it stopped. */
type Search<Found> = { readonly rows: readonly Found[]; readonly stoppedAt: PageKey | undefined };

/**
 * - filters: what else decides which rows are listed; a cursor is good for these alone.
 * - read: is asked for one row more than are shown. A row says where it stands: `created_at::text as sort_key`, and its id.
 * - toItem, toItems: what the API shows of a row, or of those that are shown.
 */
type List<Found extends Row, Item> = {
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly read: (request: ListRequest) => Promise<readonly Found[] | Search<Found>>;
} & (
  | { readonly toItem: (row: Found) => Item }
  | { readonly toItems: (rows: readonly Found[]) => Promise<readonly Item[]> }
);

/** What the query of a list has: which part of it, and what narrows it. */
export function splitQuery<Query extends Paging>(
  query: Query,
): readonly [paging: Pick<Query, keyof Paging & keyof Query>, filters: Omit<Query, keyof Paging>] {
  const { cursor, limit, offset, page, ...filters } = query;
  return [{ cursor, limit, offset, page } as Query, filters]; // what it has of these
}

/** A list as an array by limit and offset, or as a page with `cursor`. Without offset and page our own programs read a page, others an array. */
export async function answerList<Found extends Row, Item>(
  c: AppContext,
  paging: Paging & { readonly offset: number },
  list: List<Found, Item>,
): Promise<Item[] | Page<Item>>;
/** The same of a list whose type is the page (shared/api/page.ts). */
export async function answerList<Found extends Row, Item>(
  c: AppContext,
  paging: Paging & PagesAlone,
  list: List<Found, Item>,
): Promise<Page<Item>>;
/** Both. */
export async function answerList<Found extends Row, Item>(
  c: AppContext,
  { cursor, limit, page, offset = page, hasPagesAlone }: Paging & PagesAlone,
  list: List<Found, Item>,
): Promise<Item[] | Page<Item>> {
  const { filters = {} } = list;
  const hasCursor = c.req.query("cursor") !== undefined; // an empty one, too
  const hasTwoShapes = !hasCursor && offset === undefined && hasPagesAlone !== true;
  if (hasTwoShapes) setHeader(c, "vary", "accept");
  const isPage = hasTwoShapes ? namesProblem(c) : hasCursor || offset === undefined;
  const begin = page === undefined || page === 0 ? (offset ?? 0) : page * limit;
  const part = isPage
    ? { after: readPage({ cursor, limit }, filters).after, offset: 0 }
    : { after: undefined, offset: begin };
  const read = await list.read({ ...part, limit: limit + 1 });
  const { rows, stoppedAt } = isSearch(read) ? read : { rows: read, stoppedAt: undefined };
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? keyOf(shown.at(-1)) : stoppedAt;
  const items = "toItem" in list ? shown.map(list.toItem) : [...(await list.toItems(shown))];
  if (isPage) return { items, next_cursor: last ? tellNext(c, last, filters) : null };
  // A search that stopped early may have more, but who goes on past its end is told that nothing follows.
  const hasNext = rows.length > limit || (stoppedAt !== undefined && shown.length > 0);
  setHeader(c, "x-svc-page-next", String(hasNext));
  setHeader(c, "x-svc-page-limit", String(limit));
  setHeader(c, "x-svc-page-offset", String(begin));
  return items;
}

const isSearch = <Found>(read: readonly Found[] | Search<Found>): read is Search<Found> =>
  "stoppedAt" in read;

const keyOf = (row: Row | undefined): PageKey | undefined =>
  row && { sortKey: row.sort_key, id: row.id };
