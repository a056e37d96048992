/** Needles by their first byte. */
export type ByFirstByte = readonly (readonly Buffer[] | undefined)[];

/** Sorts needles by their first byte. */
export function byFirstByte(needles: readonly Buffer[]): ByFirstByte {
  const sorted: Buffer[][] = [];
  for (const needle of needles) (sorted[needle[0] ?? 0] ??= []).push(needle);
  return sorted;
}

export type ScanHow = {
  /** No more bytes come. */
  readonly isLast: boolean;
  /** The beginning of a needle at the very end counts as one: the rest of it is elsewhere. */
  readonly hidesCut?: boolean;
  /** How many bytes of base64 come directly before these. */
  readonly before?: number;
};
