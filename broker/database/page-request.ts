/**
 * Where a page ended: the instant and the id of its last row, for a query to list what comes after. The
 * instant is Postgres's own text of it (`created_at::text`): a Date would lose its microseconds.
 */
export type PageKey = { readonly sortKey: string; readonly id: string };

/** What a query of a list is asked for; it answers one row more than `limit` where there are more. */
export type PageRequest = { readonly after: PageKey | undefined; readonly limit: number };

/** The same of a list that can also begin after so many rows. */
export type ListRequest = PageRequest & { readonly offset: number };
