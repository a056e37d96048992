import fc from "fast-check";
import { validateDetailed } from "node-cron";
import { describe, expect, test } from "vitest";
import type { Cron } from "./cron.ts";
import { isCronFault, parseCron } from "./parse-cron.ts";

function parsed(text: string): Cron {
  const cron = parseCron(text);
  if (isCronFault(cron)) throw new Error(cron.message);
  return cron;
}

const shapes = "ranges (a-b), steps (*/n, a-b/n) and lists (a,b)";

describe("what is wrong with an expression", () => {
  test.each([
    ["61 * * * *", "minute", "minute 61 is outside 0–59"],
    ["* 24 * * *", "hour", "hour 24 is outside 0–23"],
    ["* * 0 * *", "day of month", "day of month 0 is outside 1–31"],
    ["* * * 13 *", "month", "month 13 is outside 1–12"],
    ["* * * * 8", "day of week", "day of week 8 is outside 0–7"],
    ["5,10-61 * * * *", "minute", "minute 61 is outside 0–59"],
    ["0-9999999 * * * *", "minute", "minute 9999999 is outside 0–59"],
    ["*/0 * * * *", "minute", "minute step 0 is outside 1–60"],
    ["*/90 * * * *", "minute", "minute step 90 is outside 1–60"],
    ["0 */25 * * *", "hour", "hour step 25 is outside 1–24"],
    ["x * * * *", "minute", `minute "x" is not understood; allowed: *, 0–59, ${shapes}`],
    ["-1 * * * *", "minute", `minute "-1" is not understood; allowed: *, 0–59, ${shapes}`],
    ["1,,2 * * * *", "minute", `minute "" is not understood; allowed: *, 0–59, ${shapes}`],
    [
      "* * L * *",
      "day of month",
      `day of month "L" is not understood; allowed: *, 1–31, ${shapes}`,
    ],
    [
      "* * * jan1 *",
      "month",
      `month "jan1" is not understood; allowed: *, 1–12, JAN–DEC, ${shapes}`,
    ],
    [
      "* * * * MON#2",
      "day of week",
      `day of week "MON#2" is not understood; allowed: *, 0–7, SUN–SAT, ${shapes}`,
    ],
    [
      "5/15 * * * *",
      "minute",
      'minute "5/15" is not understood; allowed: a step of a range: 5-59/15',
    ],
    [
      "* * * *",
      "expression",
      "the expression has 4 fields; it must have 5: minute, hour, day of month, month, day of week",
    ],
    [
      "0 * * * * *",
      "expression",
      "the expression has 6 fields; it must have 5: minute, hour, day of month, month, day of week",
    ],
    [
      "",
      "expression",
      "the expression has 0 fields; it must have 5: minute, hour, day of month, month, day of week",
    ],
    [
      "@every 5m",
      "expression",
      'expression "@every 5m" is not understood; allowed: @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually',
    ],
    ["* ".repeat(101), "expression", "the expression has 202 characters; allowed are at most 200"],
    [
      "* * 31 2 *",
      "day of month",
      "the expression never fires: there is no day 31 in month 2; write a day that one of its months has",
    ],
    [
      "0 0 31 4,6,NOV *",
      "day of month",
      "the expression never fires: there is no day 31 in month 4,6,NOV; write a day that one of its months has",
    ],
  ])("%s: %s", (text, field, message) => {
    expect(parseCron(text)).toMatchObject({ field, message });
  });

  test("is told in a line, whatever stands there", () => {
    const cron = parseCron(`\u0007${"y".repeat(150)} * * * *`);
    expect(isCronFault(cron) && cron.message.slice(0, 62)).toBe(
      `minute "\\u0007${"y".repeat(39)}…" is not`,
    );
  });
});

describe("an expression", () => {
  test.each([
    ["  0\t0 * *   mon-FRI ", "0 0 * * 1-5"],
    ["0 0 * JAN,feb *", "0 0 * 1,2 *"],
    ["0 0 * * 7", "0 0 * * SUN"],
    ["0 0 * * 5-7", "0 0 * * 0,5,6"],
    ["0 0 * * SAT-MON", "0 0 * * 6,0,1"],
    ["0 22-1 * * *", "0 0,1,22,23 * * *"],
    ["50-10/5 * * * *", "0-10/5,50-59/5 * * * *"],
    ["3,1,1,2 * * * *", "1-3 * * * *"],
    ["@WEEKLY", "0 0 * * 0"],
    ["@annually", "@yearly"],
  ])("%s is %s", (one, other) => {
    const { text: _, ...fields } = parsed(one);
    expect(fields).toEqual({ ...parsed(other), text: undefined });
  });

  test("with both day fields means either of them, unless one begins with *", () => {
    const isEither = (text: string) => parsed(text).isEitherDay;
    expect(isEither("0 0 13 * FRI")).toBe(true);
    expect(isEither("0 0 1-31 * FRI")).toBe(true);
    expect(isEither("0 0 */2 * FRI")).toBe(false);
    expect(isEither("0 0 13 * *")).toBe(false);
  });

  test.each([
    ["*/15 * * * *", true],
    ["0 * * * *", true],
    ["* 2 * * *", true],
    ["0-30/10 2 * * *", true],
    ["0 2-22/4 * * *", true],
    ["@hourly", true],
    ["30 2 * * *", false],
    ["0,15,30,45 0-23 * * *", false],
    ["30 2 */2 * *", false],
    ["@daily", false],
  ])("%s is about a span of time: %s", (text, isInterval) => {
    expect(parsed(text).isInterval).toBe(isInterval);
  });
});

test("node-cron takes what is taken here, but for days that only the other day field has", () => {
  const field = (least: number, most: number, ...names: string[]) => {
    const value = fc.oneof(
      fc.integer({ min: least, max: most }).map(String),
      fc.constantFrom(...names, String(least)),
    );
    const range = fc.tuple(value, value).map((ends) => ends.join("-"));
    const step = fc
      .tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: most - least }))
      .map((parts) => parts.join("/"));
    const items = fc.array(fc.oneof(value, range, step), { minLength: 1, maxLength: 3 });
    return fc.oneof(
      fc.constant("*"),
      items.map((all) => all.join(",")),
    );
  };
  const text = fc
    .tuple(
      field(0, 59),
      field(0, 23),
      field(1, 31),
      field(1, 12, "jan", "DEC"),
      field(0, 7, "SUN", "sat"),
    )
    .map((fields) => fields.join(" "));
  fc.assert(
    fc.property(text, (text) => {
      const cron = parseCron(text);
      const theirs = validateDetailed(text).fields;
      if (isCronFault(cron)) return cron.fault === "never" && theirs === undefined;
      if (theirs === undefined) return cron.isEitherDay;
      const minutes = [...new Set(theirs.minute)].sort((a, b) => a - b);
      return cron.minutes.join() === minutes.join();
    }),
    { numRuns: 500 },
  );
});
