import type { ConfigTexts } from "./config-of.ts";

/** Something as vendors write it, and the same with a fault. */
export type WrittenConfig = {
  readonly files: ConfigTexts;
  /** What is kept of it. */
  readonly kept: object;
  /** A text of the files, and what stands in its place with a fault. */
  readonly planted: readonly [file: string, from: string, to: string];
  /** Its code, file, line and column. */
  readonly fault: readonly [string, string, number, number];
};
