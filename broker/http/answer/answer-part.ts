import type { AppContext } from "../app-types.ts";
import { setHeader } from "./set-header.ts";

type Part = {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
};

const usualLimit = 10;

/** A part of a list that is read whole, and in headers which one; all of it where none is asked for. */
export function answerPart<Item>(
  c: AppContext,
  { page, offset = 0, limit = page === undefined ? undefined : usualLimit }: Part,
  items: readonly Item[],
): Item[] {
  const most = limit ?? items.length;
  const begin = page === undefined || page === 0 ? offset : page * most;
  const end = begin + most;
  setHeader(c, "x-svc-page-next", String(end < items.length));
  setHeader(c, "x-svc-page-limit", String(most));
  setHeader(c, "x-svc-page-offset", String(begin));
  return items.slice(begin, end);
}
