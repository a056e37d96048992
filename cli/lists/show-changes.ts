import type { Page } from "../output/print.ts";
import { tableOf } from "../output/table.ts";
import type { Watching } from "./watching.ts";

type Shown<Item> = Pick<Watching<Item>, "screen" | "view" | "empty" | "factsOf">;

/**
 * For a pipe or a file: shows the first page whole, and of the next ones what is new or changed, the oldest first; as
 * JSON each page that is another. Remembers one page.
 */
export function showChanges<Item>(shown: Shown<Item>): (page: Page<Item>) => void {
  const { screen, view, empty, factsOf } = shown;
  let known: ReadonlyMap<string, string> | undefined;
  let widths: readonly number[] = [];
  return ({ body: { items, next_cursor: cursor }, text }) => {
    const before = known;
    const now = new Map(items.map((item) => [view.nameOf(item), JSON.stringify(factsOf(item))]));
    known = now;
    const changed = items.filter((item) => {
      const name = view.nameOf(item);
      return before?.get(name) !== now.get(name);
    });
    const isOther = changed.length > 0 || before === undefined || now.size !== before.size;
    if (screen.format === "json") {
      if (isOther) screen.out(text);
      return;
    }
    if (before === undefined && items.length === 0) screen.say(empty);
    print(before === undefined ? changed : changed.toReversed());
    const isCut = before !== undefined && before.size > 0 && cursor !== null;
    if (isCut && items.every((item) => !before.has(view.nameOf(item))))
      screen.say(`More than ${items.length} are new: the others are not shown. See --limit.`);
  };

  function print(items: readonly Item[]): void {
    if (items.length === 0) return;
    if (screen.format === "name") for (const item of items) screen.out(view.nameOf(item));
    else if (screen.format === "ndjson") for (const item of items) screen.out(JSON.stringify(item));
    else {
      const hasHead = widths.length > 0;
      const table = tableOf(items, view.columns, widths);
      widths = table.widths;
      screen.out([...(hasHead ? [] : [table.head]), ...table.rows].join("\n"));
    }
  }
}
