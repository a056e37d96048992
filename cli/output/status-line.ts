import { harmless } from "../../shared/command-line/terminal-text.ts";

/** What a status line is drawn on. */
export type StatusTerminal = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">;

/** One line below all that is written, replaced in place. */
export type StatusLine = {
  /** Shows this in place of what was shown; undefined takes it away. */
  readonly show: (text: string | undefined) => void;
  /** Writes something above the line. */
  readonly above: (write: () => void) => void;
};

const clear = "\r\u{1b}[K";
/** Of a terminal that does not say. */
const usualColumns = 80;

/** Where nobody looks at a terminal nothing is shown: a file or a pipe gets no such line. */
export function openStatusLine(terminal: StatusTerminal): StatusLine {
  let shown: string | undefined;
  const draw = (): void => {
    if (shown === undefined) return;
    // A line that is as wide as the terminal would wrap, and could not be cleared.
    const columns = terminal.columns > 0 ? terminal.columns : usualColumns;
    terminal.write(cut(shown, columns - 1));
  };
  const erase = (): void => {
    if (shown !== undefined) terminal.write(clear);
  };
  return {
    show: (text) => {
      const next = text === undefined ? undefined : oneLine(text);
      if (!terminal.isTTY || next === shown) return;
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
