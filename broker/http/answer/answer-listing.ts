import type { ListRequest } from "../../database/page-request.ts";
import type { AppContext } from "../app-types.ts";
import { type Page, readPage, toPage } from "./paginate.ts";
import { setHeader } from "./set-header.ts";

type Asked = { readonly cursor?: string | undefined; readonly limit: number };

type Row = { readonly id: string; readonly sort_key: string };

type List<Found extends Row, Item> = {
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly read: (request: ListRequest) => Promise<readonly Found[]>;
  readonly toItem: (row: Found) => Item;
};

/**
 * A list as an array by limit and offset, or, where the request has a `cursor`, as a page. `read` is asked for one row more than
 * are shown.
 */
export async function answerListing<Found extends Row, Item>(
  c: AppContext,
  { cursor, limit, offset }: Asked & { readonly offset: number },
  list: List<Found, Item>,
): Promise<Item[] | Page<Item>> {
  if (c.req.query("cursor") !== undefined) return await answerPage(c, { cursor, limit }, list);
  const { read, toItem } = list;
  const rows = await read({ after: undefined, limit: limit + 1, offset });
  setHeader(c, "x-svc-page-next", String(rows.length > limit));
  setHeader(c, "x-svc-page-limit", String(limit));
  setHeader(c, "x-svc-page-offset", String(offset));
  return rows.slice(0, limit).map(toItem);
}

/** A list as a page, whether the request has a `cursor` or not. */
export async function answerPage<Found extends Row, Item>(
  c: AppContext,
  { cursor, limit }: Asked,
  { filters = {}, read, toItem }: List<Found, Item>,
): Promise<Page<Item>> {
  const { after } = readPage({ cursor, limit }, filters);
  const rows = await read({ after, limit: limit + 1, offset: 0 });
  return toPage(c, rows, { limit, filters, toItem });
}
