import { once } from "node:events";
import type { OutputFormat } from "./global-flags.ts";

/** Where a command speaks: results to standard output, words to standard error. */
export type Screen = {
  readonly format: OutputFormat;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly out: (text: string) => void;
  readonly say: (words: string) => void;
  /** Resolves when standard output takes more; who prints much waits for it now and then. */
  readonly drained: () => Promise<void>;
};

/** The process's own two streams; a reader that goes away (`| head`) ends the command quietly. */
export function openScreen(format: OutputFormat, hasColor: boolean): Screen {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return {
    format,
    isTerminal: process.stdout.isTTY,
    hasColor: hasColor && process.stdout.isTTY,
    out: (text) => void process.stdout.write(`${text}\n`),
    say: (words) => void process.stderr.write(`${words}\n`),
    drained: async () => {
      if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    },
  };
}
