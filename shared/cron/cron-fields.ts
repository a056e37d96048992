/** The five fields of a cron expression, in their order: their bounds, and the names that stand for numbers. */
export const cronFields = [
  { name: "minute", least: 0, most: 59, size: 60, names: [] },
  { name: "hour", least: 0, most: 23, size: 24, names: [] },
  { name: "day of month", least: 1, most: 31, size: 31, names: [] },
  {
    name: "month",
    least: 1,
    most: 12,
    size: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  // 0 and 7 are both Sunday.
  {
    name: "day of week",
    least: 0,
    most: 7,
    size: 7,
    names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
  },
] as const satisfies readonly Field[];

type Field = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** How many values there are, so the longest step. */
  readonly size: number;
  readonly names: readonly string[];
};

export type CronField = (typeof cronFields)[number];

/** What can be written instead of five fields. */
export const cronMacros: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};
