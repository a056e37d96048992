import { once } from "node:events";
import { harmless } from "../../shared/command-line/terminal-text.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { OutputFormat } from "../flags/global-flags.ts";
import { openBusyLine, type BusyLine } from "./busy-line.ts";
import { type DrawnLine, openStatusLine, rowsOf, type StatusLine } from "./status-line.ts";

/**
 * Where a command speaks: results to standard output, words to standard error. What runners and owners wrote may
 * hold anything, so nothing of either steers the reader's terminal; JSON is written as it came.
 */
export type Screen = {
  readonly format: OutputFormat;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly out: (text: string) => void;
  readonly say: (words: string) => void;
  /** For what is styled already, of harmless pieces, and for what is asked for byte for byte. */
  readonly asIs: Readonly<Record<"out" | "say", (text: string) => void>>;
  /** Shows lines below all others, in place of those before; undefined takes them away. Only where somebody looks. */
  readonly status: StatusLine["show"] | undefined;
  /** Says on a terminal what takes over a second, until it is done. */
  readonly during: BusyLine["during"];
  /** Shows results in place of those before; only on a terminal that can. They stay at the end. */
  readonly frame: Frame | undefined;
  /** Resolves when both take more; who prints much waits for it now and then. */
  readonly drained: () => Promise<void>;
};

export type Frame = {
  readonly show: (lines: readonly DrawnLine[]) => void;
  /** How many lines fit. */
  readonly rows: () => number;
};

type ScreenParts = Pick<Screen, "format" | "hasColor"> & {
  /** Has words name commands as they are typed here. */
  readonly asTyped: (words: string) => string;
  /** Whether the command goes on without a reader. */
  readonly outlivesReader: boolean;
  /** Whether a terminal can take back what it shows. */
  readonly canRedraw: boolean;
};

/** The pipe was closed, the terminal is gone. */
const readerGone = ["EPIPE", "EIO"];

/** The process's own two streams; a reader that goes away (`| head`) ends the command quietly, unless it goes on. */
export function openScreen(parts: ScreenParts): Screen {
  const { format, hasColor, asTyped, outlivesReader, canRedraw } = parts;
  const line = openStatusLine(process.stderr);
  const busy = openBusyLine(canRedraw ? line : { show: () => {} });
  const frame = openStatusLine(process.stdout);
  if (process.stderr.isTTY) process.once("exit", () => line.show(undefined));
  const above = (write: () => void): void => line.above(() => frame.above(write));
  const words = openOutput(process.stderr, above, () => {});
  const results = openOutput(process.stdout, above, ({ code = "" }) => {
    const isReaderGone = readerGone.includes(code);
    if (!isReaderGone) words.write(`Standard output takes nothing more (${code}).`);
    if (!outlivesReader) process.exit(isReaderGone ? exitCodes.ok.code : exitCodes.failed.code);
  });
  const isJson = format === "json" || format === "ndjson";
  return {
    format,
    isTerminal: process.stdout.isTTY,
    hasColor: hasColor && process.stdout.isTTY,
    out: (text) => results.write(isJson ? text : harmless(text)),
    say: (text) => words.write(harmless(asTyped(text))),
    asIs: { out: results.write, say: words.write },
    status: process.stderr.isTTY && canRedraw ? busy.show : undefined,
    during: busy.during,
    // The empty last line is where the status line goes.
    frame:
      process.stdout.isTTY && canRedraw
        ? {
            show: (lines) => line.above(() => frame.show([...lines, ""])),
            rows: () => rowsOf(process.stdout) - 2,
          }
        : undefined,
    drained: async () => {
      await results.drained();
      await words.drained();
    },
  };
}

type Output = {
  readonly write: (text: string) => void;
  readonly drained: () => Promise<void>;
};

/** Writes lines until the stream fails; after that there is nothing to wait for. */
function openOutput(
  stream: NodeJS.WriteStream,
  above: StatusLine["above"],
  onEnd: (error: NodeJS.ErrnoException) => void,
): Output {
  let hasFailed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (hasFailed) return;
    hasFailed = true;
    onEnd(error);
  });
  return {
    write: (text) => {
      if (hasFailed) return;
      const write = (): void => void stream.write(`${text}\n`);
      if (stream.isTTY) above(write);
      else write();
    },
    drained: async () => {
      if (!hasFailed && stream.writableNeedDrain) await once(stream, "drain").catch(() => {});
    },
  };
}
