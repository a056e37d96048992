import type { ListRequest } from "../../database/page-request.ts";
import type { AppContext } from "../app-types.ts";
import { type Page, readPage, toPage } from "./paginate.ts";
import { setHeader } from "./set-header.ts";

type Asked = {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset: number;
};

type Row = { readonly id: string; readonly sort_key: string };

/**
 * A list as an array by limit and offset, or, where the request has a `cursor`, as a page. `read` is asked for one row more than
 * are shown.
 */
export async function answerListing<Found extends Row, Item>(
  c: AppContext,
  { cursor, limit, offset }: Asked,
  {
    filters = {},
    read,
    toItem,
  }: {
    readonly filters?: Readonly<Record<string, unknown>>;
    readonly read: (request: ListRequest) => Promise<readonly Found[]>;
    readonly toItem: (row: Found) => Item;
  },
): Promise<Item[] | Page<Item>> {
  if (c.req.query("cursor") !== undefined) {
    const { after } = readPage({ cursor, limit }, filters);
    const rows = await read({ after, limit: limit + 1, offset: 0 });
    return toPage(c, rows, { limit, filters, toItem });
  }
  const rows = await read({ after: undefined, limit: limit + 1, offset });
  setHeader(c, "x-svc-page-next", String(rows.length > limit));
  setHeader(c, "x-svc-page-limit", String(limit));
  setHeader(c, "x-svc-page-offset", String(offset));
  return rows.slice(0, limit).map(toItem);
}
