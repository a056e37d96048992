/** What is looked for, by its first byte. */
export type ByFirstByte = readonly (readonly Buffer[] | undefined)[];

/** Sorts what is looked for by its first byte. */
export function byFirstByte(needles: readonly Buffer[]): ByFirstByte {
  const sorted: Buffer[][] = [];
  for (const needle of needles) (sorted[needle[0] ?? 0] ??= []).push(needle);
  return sorted;
}

export type ScanHow = {
  /** No more bytes come. */
  readonly isLast: boolean;
  /** What begins a needle at the very end is one, too: the rest of it is somewhere else. */
  readonly hidesCut?: boolean;
  /** So many bytes of base64 stood right before these. */
  readonly before?: number;
};
