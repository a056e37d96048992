import fc from "fast-check";
import { expect, test } from "vitest";
import { makePaces } from "./pace.ts";

test("one page is told at once and again after a second; a thousand of an org in twenty", () => {
  const { enter } = makePaces();
  const first = enter("a");
  expect([first.delayMs(), first.restMs()]).toEqual([0, 1000]);
  for (let page = 1; page < 1000; page++) enter("a");
  expect(first.restMs()).toBe(20_000);
});

test("pages of all orgs together ask at most fifty times a second, until each rests for twenty", () => {
  const open = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(open, (counts) => {
      const { enter } = makePaces();
      const all = counts.flatMap((pages, org) =>
        Array.from({ length: pages }, () => enter(`org ${org}`)),
      );
      const rests = all.map(({ restMs }) => restMs());
      const perS = rests.reduce((sum, ms) => sum + 1000 / ms, 0);
      const least = rests.filter((ms) => ms <= 1000).length;
      const most = rests.filter((ms) => ms >= 20_000).length / 20;
      expect(perS).toBeLessThanOrEqual(50 + least + most + 1e-6);
    }),
  );
});

test("who has left is not counted", () => {
  const { enter, open } = makePaces();
  const pages = Array.from({ length: 200 }, () => enter("a"));
  const [first, ...others] = pages;
  for (const { leave } of others) leave();
  expect([first?.restMs(), first?.delayMs(), open()]).toEqual([1000, 0, 1]);
});
