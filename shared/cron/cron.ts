/** A cron expression that `parseCron` took: some minute of some day matches it. */
export type Cron = {
  /** As it was written, with single spaces. */
  readonly text: string;
  /** The minutes of a day, 0 to 1439, in their order. */
  readonly times: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Bit d − 1 is day d of the month. */
  readonly daysOfMonth: number;
  /** Bit m − 1 is month m. */
  readonly months: number;
  /** Bit 0 is Sunday. */
  readonly daysOfWeek: number;
  /** Whether a day has to match one of its day fields, or both: either, if neither begins with `*`. */
  readonly isEitherDay: boolean;
  /**
   * Whether it means a span of time rather than times of day: `*` or a step in its minutes or hours. What becomes of each when
   * clocks are put forward or back: docs/decisions/0024-cron.md.
   */
  readonly isInterval: boolean;
};

/** What is wrong with a text: the field that it is in, what stands there, and what may. */
export type CronFault = {
  readonly fault: "length" | "fields" | "syntax" | "range" | "never";
  /** "expression", or the field's name: "day of month". */
  readonly field: string;
  readonly found: string;
  readonly allowed: string;
  /** One sentence of all three, without a full stop. */
  readonly message: string;
};
