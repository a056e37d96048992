import { harmless, padTo, textWidth } from "../../shared/command-line/terminal-text.ts";

/** The columns of a kind of thing, by name, in order. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

export type Table = {
  readonly head: string;
  readonly rows: readonly string[];
  /** For rows that come later below the same head. */
  readonly widths: readonly number[];
};

/** Things as lines of harmless cells, each column as wide as its widest cell, and as one of those before. */
export function tableOf<Item>(
  items: readonly Item[],
  columns: Columns<Item>,
  before: readonly number[] = [],
): Table {
  const names = Object.keys(columns).map((name) => name.toUpperCase());
  const rows = items.map((item) => Object.values(columns).map((read) => oneLine(read(item))));
  const widths = names.map((name, at) =>
    Math.max(name.length, before[at] ?? 0, ...rows.map((row) => textWidth(row[at] ?? ""))),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, at) => padTo(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return { head: lineOf(names), rows: rows.map(lineOf), widths };
}

const oneLine = (text: string): string =>
  text === "" ? "-" : harmless(text).replaceAll(/\s+/g, " ");
