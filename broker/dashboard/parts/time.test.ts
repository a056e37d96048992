import { readFile } from "node:fs/promises";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { agoText, durationText } from "./time.ts";

test.each([
  [0, "0 s"],
  [59.6, "1 min"],
  [3720, "1 h 2 min"],
  [86_400 + 59, "1 d"],
])("%d seconds are told as %s", (seconds, wanted) => {
  expect(durationText(seconds)).toBe(wanted);
});

test.each([
  [0.4, "now"],
  [-0.4, "now"],
  [60, "1 min ago"],
  [-3600, "in 1 h"],
])("an instant %d seconds ago is told as %s", (seconds, wanted) => {
  expect(agoText(seconds)).toBe(wanted);
});

test("the page's script tells durations and distances in the same words", async () => {
  const script = await readFile(new URL("../assets/dashboard.js", import.meta.url), "utf8");
  const [own = ""] = /^const units = [^]*?^function durationText[^]*?^\}/m.exec(script) ?? [];
  const [ago = ""] = /^function agoText[^]*?^\}/m.exec(script) ?? [];
  type Words = (seconds: number) => string;
  const inBrowser = runInNewContext(`${own}; durationText`) as Words;
  const agoInBrowser = runInNewContext(`${own}; ${ago}; agoText`) as Words;
  const seconds = fc.oneof(
    fc.integer({ min: -10, max: 90_000 }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  );
  fc.assert(
    fc.property(seconds, (some) => {
      expect(inBrowser(some)).toBe(durationText(some));
      expect(agoInBrowser(some)).toBe(agoText(some));
    }),
  );
});
