/** What one evaluation, and one check, may use. */
export const opaBounds = {
  seconds: 10,
  memoryMib: 512,
  /** Of what it prints, on either of its outputs. */
  printedBytes: 4 * 2 ** 20,
  /** Of all that policies judge at once. */
  inputBytes: 64 * 2 ** 20,
} as const;
export type OpaBounds = Readonly<Record<keyof typeof opaBounds, number>>;
