import type { Page } from "../output/print.ts";

type PageFlags = { readonly limit?: string | undefined; readonly cursor?: string | undefined };

/** The query that has a list answer pages which is an array without a cursor. */
export function pagesOfListing({ limit, cursor = "" }: PageFlags): PageFlags {
  return { limit: limit ?? "50", cursor };
}

/** What such a list answered, as a page. */
export function pageOfListing<Item>({
  text,
  body,
}: {
  readonly text: string;
  readonly body: readonly Item[] | Page<Item>["body"];
}): Page<Item> {
  return "items" in body ? { text, body } : { text, body: { items: body, next_cursor: null } };
}
