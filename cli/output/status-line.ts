import { styleText } from "node:util";
import { harmless } from "../../shared/command-line/terminal-text.ts";

/** What is drawn on. */
export type StatusTerminal = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write"> &
  Partial<Pick<NodeJS.WriteStream, "rows">>;

/** A line of text, as it is or faint. */
export type DrawnLine = string | { readonly faint: string };

/** Lines below all that is written, replaced in place. */
export type StatusLine = {
  /** Shows this in place of what was shown; undefined takes it away. */
  readonly show: (lines: DrawnLine | readonly DrawnLine[] | undefined) => void;
  /** Writes something above the lines. */
  readonly above: (write: () => void) => void;
};

const clear = "\r\u{1b}[K";
/** Of a terminal that does not say. */
const usualColumns = 80;
const usualRows = 24;

/** How many lines fit on it. */
export function rowsOf({ rows = usualRows }: Pick<StatusTerminal, "rows">): number {
  return rows > 0 ? rows : usualRows;
}

/** Where nobody looks at a terminal nothing is shown: a file or a pipe gets no such lines. */
export function openStatusLine(terminal: StatusTerminal): StatusLine {
  let shown: readonly string[] = [];
  const draw = (): void => {
    if (shown.length > 0) terminal.write(shown.join("\n"));
  };
  const erase = (): void => {
    if (shown.length === 1) terminal.write(clear);
    if (shown.length > 1) terminal.write(`\r\u{1b}[${shown.length - 1}A\u{1b}[J`);
  };
  const drawn = (line: DrawnLine): string => {
    // A line that is as wide as the terminal would wrap, and could not be cleared.
    const room = (terminal.columns > 0 ? terminal.columns : usualColumns) - 1;
    if (typeof line === "string") return cut(oneLine(line), room);
    return styleText("dim", cut(oneLine(line.faint), room), { validateStream: false });
  };
  return {
    show: (lines) => {
      if (!terminal.isTTY) return;
      const given = lines === undefined ? [] : [lines].flat();
      const next = given.slice(0, rowsOf(terminal) - 1).map(drawn);
      if (next.join("\n") === shown.join("\n") && next.length === shown.length) return;
      erase();
      shown = next;
      draw();
    },
    above: (write) => {
      erase();
      write();
      draw();
    },
  };
}

const oneLine = (text: string): string => harmless(text).replaceAll("\n", " ");

/** From here on a character may take two places. */
const firstWide = 0x11_00;

function cut(text: string, room: number): string {
  let [kept, width] = ["", 0];
  for (const character of text) {
    width += (character.codePointAt(0) ?? 0) < firstWide ? 1 : 2;
    if (width > room - 1) return `${kept}…`;
    kept += character;
  }
  return kept;
}
