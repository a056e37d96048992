import { styleText } from "node:util";
import { harmless } from "../../shared/command-line/terminal-text.ts";
import type { Screen } from "./screen.ts";

/** How one kind of thing is shown: its columns in order, and what names it. */
export type View<Item> = {
  readonly columns: Readonly<Record<string, (item: Item) => string>>;
  readonly nameOf: (item: Item) => string;
};

type Page<Item> = {
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
  else if (items.length > 0) screen.asIs.out(tableOf(screen, items, view.columns));
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

/** Its cells are harmless, its head may be faint. */
function tableOf<Item>(
  screen: Screen,
  items: readonly Item[],
  columns: View<Item>["columns"],
): string {
  const names = Object.keys(columns);
  const rows = items.map((item) => Object.values(columns).map((read) => oneLine(read(item))));
  const widths = names.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [faint(screen, lineOf(names)), ...rows.map(lineOf)].join("\n");
}

/** One line for each member, harmless under a name that may be faint; those without a value are left out. */
function listOf<Item>(screen: Screen, item: Item, columns: View<Item>["columns"]): string {
  const cells = Object.entries(columns).map(([name, read]) => ({
    name,
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

const oneLine = (text: string): string =>
  text === "" ? "-" : harmless(text).replaceAll(/\s+/g, " ");

function faint(screen: Screen, text: string): string {
  return screen.hasColor ? styleText("dim", text, { validateStream: false }) : text;
}
