import { describe, expect, test } from "vitest";
import type { Cron } from "../../shared/cron/cron.ts";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";
import { nextTick, previousTick, shortestGap, ticksBetween } from "./ticks.ts";

/** An expression that counts how often one of its months is looked at: all other work is a small multiple of that. */
function counting(text: string) {
  const cron = parseCron(text);
  const zone = parseZone("America/New_York");
  if (isCronFault(cron) || isZoneFault(zone)) throw new Error(`${text} is a fault`);
  let looks = 0;
  const counted: Cron = {
    ...cron,
    get months() {
      looks++;
      return cron.months;
    },
  };
  return { zone, cron: counted, looks: () => looks };
}

const from = new Date("2088-03-01T00:00Z");

describe("what is looked at", () => {
  test.each([
    ["* * * * *", 5],
    ["30 2 * * *", 5],
    ["0 0 1 * *", 5],
    ["59 23 31 12 *", 60],
    ["0 0 29 2 *", 300],
    // The rarest of all: 40 years without one.
    ["0 0 29 2 */7", 1500],
  ])("for the next and the last tick of %s is bounded: %d months", (text, most) => {
    for (const find of [nextTick, previousTick]) {
      const { cron, zone, looks } = counting(text);
      expect(find(cron, zone, from)).toBeDefined();
      expect(looks()).toBeLessThanOrEqual(most);
    }
  });

  test("after an outage of a year grows with what is asked for, not with what was missed", () => {
    const { cron, zone, looks } = counting("* * * * *");
    const span = { from, to: new Date("2089-03-01T00:00Z") };
    const { ticks, more } = ticksBetween(cron, zone, span, 10);
    expect([ticks.length, more]).toEqual([10, 365 * 1440 + 1 - 10]);
    expect(looks()).toBeLessThanOrEqual(100);
  });

  test("for the shortest time between ticks is bounded", () => {
    const dense = counting("*/2 * * * *");
    expect(shortestGap(dense.cron, dense.zone, from)).toBe(120_000);
    expect(dense.looks()).toBeLessThanOrEqual(5000);
  });
});
