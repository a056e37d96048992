import { describe, expect, test } from "vitest";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { jitterOf } from "./jitter-of.ts";
import { graceOf, type MissedPolicy, missedTicks } from "./missed-ticks.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";

const skip: MissedPolicy = { missed: "skip" };
const once: MissedPolicy = { missed: "once" };
const three: MissedPolicy = { missed: "all", most: 3 };

/** Each hour of a day, by its time in UTC; the answer as "emitted | skipped | next". */
function decide(policy: MissedPolicy, next: string, now: string, jitterMs = 0): string {
  const cron = parseCron("0 * * * *");
  const zone = parseZone("UTC");
  if (isCronFault(cron) || isZoneFault(zone)) throw new Error("a fault");
  const at = (time: string): Date => new Date(`2026-05-01T${time}Z`);
  const clock = { cron, zone, nextAt: at(next), now: at(now), jitterMs, graceMs: 60_000 };
  const { emit, skipped, nextAt } = missedTicks(policy, clock);
  const times = [...emit, nextAt].map((tick) => tick?.toISOString().slice(11, 16));
  return `${times.slice(0, -1).join(" ")} | ${skipped} | ${times.at(-1)}`;
}

describe("ticks that are due", () => {
  test.each([
    ["nothing is due yet", skip, ["10:00", "09:59:59.999"], " | 0 | 10:00"],
    ["it is time", skip, ["10:00", "10:00"], "10:00 | 0 | 11:00"],
    ["it is just still in time", skip, ["10:00", "10:01"], "10:00 | 0 | 11:00"],
    ["it is too late", skip, ["10:00", "10:01:00.001"], " | 1 | 11:00"],
    ["many were missed", skip, ["10:00", "15:30"], " | 6 | 16:00"],
    ["many were missed, the last is in time", skip, ["10:00", "15:00:30"], "15:00 | 5 | 16:00"],
    ["it is time", once, ["10:00", "10:00"], "10:00 | 0 | 11:00"],
    ["one was missed", once, ["10:00", "10:30"], "10:00 | 0 | 11:00"],
    ["many were missed", once, ["10:00", "15:30"], "15:00 | 5 | 16:00"],
    ["many were missed, the last is in time", once, ["10:00", "15:00:30"], "15:00 | 5 | 16:00"],
    ["it is time", three, ["10:00", "10:00"], "10:00 | 0 | 11:00"],
    ["two were missed", three, ["10:00", "11:30"], "10:00 11:00 | 0 | 12:00"],
    ["many were missed", three, ["10:00", "15:30"], "13:00 14:00 15:00 | 3 | 16:00"],
  ])("when %s (%o)", (_, policy, [next = "", now = ""], answer) => {
    expect(decide(policy, next, now)).toBe(answer);
  });

  test("come later by their jitter, and are missed by as much later", () => {
    const jitterMs = 30 * 60_000;
    expect(decide(skip, "10:00", "10:29:59", jitterMs)).toBe(" | 0 | 10:00");
    expect(decide(skip, "10:00", "10:31", jitterMs)).toBe("10:00 | 0 | 11:00");
    expect(decide(skip, "10:00", "10:32", jitterMs)).toBe(" | 1 | 11:00");
    expect(decide(once, "10:00", "13:10", jitterMs)).toBe("12:00 | 2 | 13:00");
  });
});

test("a tick may be a minute late, or less where the next one comes sooner", () => {
  expect([graceOf(3_600_000), graceOf(60_000)]).toEqual([60_000, 59_999]);
});

describe("the jitter of an emitter", () => {
  const windowNs = 600e9;

  test("is the same each time, whole, and in its window", () => {
    expect(jitterOf("emt_1", windowNs)).toBe(jitterOf("emt_1", windowNs));
    expect(jitterOf("emt_1", 0)).toBe(0);
    expect(jitterOf("emt_1", 1)).toBe(0);
    expect(jitterOf("emt_1", windowNs)).toMatchInlineSnapshot(`165836146122`);
  });

  test("spreads emitters evenly", () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let at = 0; at < 10_000; at++) {
      const jitter = jitterOf(`emt_${at}`, windowNs);
      expect(Number.isInteger(jitter) && jitter >= 0 && jitter < windowNs).toBe(true);
      const tenth = Math.floor((jitter / windowNs) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(900);
    expect(Math.max(...tenths)).toBeLessThan(1100);
  });
});
