import fc from "fast-check";
import { expect, test } from "vitest";
import { availabilityStates } from "../../shared/api/runner-availability.ts";
import { type Period, stripOf } from "./availability.ts";

const step = fc.record({
  forMs: fc.integer({ min: 1, max: 40 }),
  state: fc.constantFrom(...availabilityStates),
  paused: fc.boolean(),
  draining: fc.boolean(),
});

/** Periods without gaps, as they come of a history. */
const periodsOf = (steps: readonly (Omit<Period, "fromMs" | "toMs"> & { forMs: number })[]) => {
  let atMs = 0;
  return steps.map(({ forMs, ...how }): Period => {
    const fromMs = atMs;
    atMs += forMs;
    return { ...how, fromMs, toMs: atMs };
  });
};

const worstFirst = ["offline", "degraded", "shut-down", "active", "no-data"] as const;

test("a bucket of a strip is as the worst that touches it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const periods = periodsOf(steps);
      const range = { fromMs: 5, toMs: 95 };
      const strip = stripOf(periods, range, 20);
      for (let fromMs = range.fromMs; fromMs < range.toMs; fromMs += 20) {
        const toMs = Math.min(fromMs + 20, range.toMs);
        const inside = periods.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
        expect(strip.find((one) => one.fromMs <= fromMs && fromMs < one.toMs)).toMatchObject({
          state: worstFirst.find((state) => inside.some((one) => one.state === state)) ?? "no-data",
          paused: inside.some(({ paused }) => paused),
          draining: inside.some(({ draining }) => draining),
        });
      }
    }),
  );
});
