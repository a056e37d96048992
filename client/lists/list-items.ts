import type { AnyInput, Request } from "../requests/make-request.ts";
import { pause } from "../requests/pause.ts";
import { SvcError } from "../svc-error.ts";

type Page = { readonly items: readonly unknown[]; readonly next_cursor: string | null };

const usualLimit = 100;
const restMs = 1000;

/**
 * What a list has, page by page as it is asked for. A feed that has no end goes on: it is asked again, a second later
 * where nothing is new.
 */
export async function* listItems(
  request: Request,
  path: string,
  input: AnyInput = {},
): AsyncGenerator {
  let cursor = input.query?.["cursor"] ?? "";
  for (;;) {
    const query = { limit: usualLimit, ...input.query, cursor };
    const { items, next_cursor: next } = pageOf(await request("get", path, { ...input, query }));
    yield* items;
    if (next === null) return;
    if (next === cursor) await pause(restMs, input.signal);
    cursor = next;
  }
}

function pageOf({ status, body }: { readonly status: number; readonly body: unknown }): Page {
  const page = body as Partial<Page> | undefined;
  const next = page?.next_cursor;
  if (Array.isArray(page?.items) && (next === null || typeof next === "string"))
    return { items: page.items, next_cursor: next };
  throw new SvcError("The answer is not a page of a list.", { code: "bad_answer", status });
}
