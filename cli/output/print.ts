import { styleText } from "node:util";
import { harmless } from "../../shared/command-line/terminal-text.ts";
import type { Screen } from "./screen.ts";
import { type Columns, tableOf } from "./table.ts";

/** How one kind of thing is shown: its columns in order, and what names it. */
export type View<Item> = {
  readonly columns: Columns<Item>;
  readonly nameOf: (item: Item) => string;
};

/** A page of a list, as the API's JSON and read. */
export type Page<Item> = {
  readonly text: string;
  readonly body: { readonly items: readonly Item[]; readonly next_cursor: string | null };
};

/** Shows a page of a list in the asked format; an empty one says what to try. */
export function printPage<Item>(
  screen: Screen,
  page: Page<Item>,
  view: View<Item> & { readonly empty: string; readonly more: string },
): void {
  const { items, next_cursor: cursor } = page.body;
  if (screen.format === "json") screen.out(page.text);
  else if (screen.format === "ndjson") for (const item of items) screen.out(JSON.stringify(item));
  else if (screen.format === "name") for (const item of items) screen.out(view.nameOf(item));
  else if (items.length > 0) {
    const { head, rows } = tableOf(items, view.columns);
    screen.asIs.out([faint(screen, head), ...rows].join("\n"));
  }
  if (items.length === 0 && screen.format !== "json") screen.say(view.empty);
  if (cursor !== null && screen.format !== "json")
    screen.say(`More: ${view.more} --cursor ${cursor}`);
}

/** Shows one thing in the asked format. */
export function printItem<Item>(
  screen: Screen,
  answer: { readonly text: string; readonly body: Item },
  view: View<Item>,
): void {
  if (screen.format === "json") screen.out(answer.text);
  else if (screen.format === "ndjson") screen.out(JSON.stringify(answer.body));
  else if (screen.format === "name") screen.out(view.nameOf(answer.body));
  else screen.asIs.out(listOf(screen, answer.body, view.columns));
}

/** One line for each member, its name in small letters, as heads of lists are in capitals; harmless under a name that may be faint; those without a value are left out. */
function listOf<Item>(screen: Screen, item: Item, columns: View<Item>["columns"]): string {
  const cells = Object.entries(columns).map(([name, read]) => ({
    name: name.toLowerCase(),
    text: harmless(read(item)),
  }));
  const shown = cells.filter(({ text }) => text !== "");
  const width = Math.max(...shown.map(({ name }) => name.length));
  return shown
    .map(({ name, text }) => {
      const indented = text.replaceAll("\n", `\n${" ".repeat(width + 2)}`);
      return `${faint(screen, name.padEnd(width))}  ${indented}`;
    })
    .join("\n");
}

/** Text that may be faint, on a terminal with colors. */
export function faint(screen: Pick<Screen, "hasColor">, text: string): string {
  return screen.hasColor ? styleText("dim", text, { validateStream: false }) : text;
}
