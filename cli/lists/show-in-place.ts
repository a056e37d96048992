import type { Page } from "../output/print.ts";
import type { Frame } from "../output/screen.ts";
import type { DrawnLine } from "../output/status-line.ts";
import { tableOf } from "../output/table.ts";
import type { Watching } from "./watching.ts";

/** For a terminal: shows each page in place of the one before, as much of it as fits. */
export function showInPlace<Item>(
  { screen, view, empty }: Pick<Watching<Item>, "screen" | "view" | "empty">,
  frame: Frame,
): (page: Page<Item>) => void {
  const words = (text: string): DrawnLine => (screen.hasColor ? { faint: text } : text);
  return ({ body: { items, next_cursor: cursor } }) => {
    const { head, rows } = tableOf(items, view.columns);
    if (items.length === 0) return frame.show([words(empty)]);
    const room = Math.max(1, frame.rows() - 2);
    const left = rows.length - room;
    const more = cursor !== null ? ["… and more"] : left > 0 ? [`… and ${left} more`] : [];
    frame.show([words(head), ...rows.slice(0, room), ...more.map(words)]);
  };
}
