import { expect, test } from "vitest";
import { makeWakes, topics } from "../../wake/wakes.ts";
import { hints } from "./hints.ts";

const topic = topics.org("org_a");

/** A page's stream over wakes of its own, whose rests end when the test says so. */
function givenStream(restMs = 0) {
  const wakes = makeWakes(() => {});
  let listeners = 0;
  const counted: typeof wakes = {
    ...wakes,
    subscribe(of, listener) {
      const leave = wakes.subscribe(of, listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        leave();
      };
    },
  };
  const ended = new AbortController();
  const parts = hints(counted, {
    topics: [topic],
    isEachMinute: false,
    pace: { restMs: () => restMs, delayMs: () => 0 },
    ended: ended.signal,
    isWelcome: async () => true,
  });
  const next = async (): Promise<string | undefined> => {
    const told = await parts.next();
    return told.done === true ? undefined : new TextDecoder().decode(told.value);
  };
  return { wakes, next, end: () => ended.abort(), listeners: () => listeners };
}

test("each change is told, those that come while it is told or rests by one hint", async () => {
  const { wakes, next, end } = givenStream();
  expect(await next()).toContain("retry");
  wakes.notify([topic]);
  wakes.notify([topic]);
  expect(await next()).toContain("changed");
  wakes.notify([topic]); // while the page asks
  expect(await next()).toContain("changed");
  const third = next();
  wakes.notify([topic]);
  expect(await third).toContain("changed");
  end();
  expect(await next()).toBeUndefined();
});

test("a stream that has heard of a change hears of no other until it has told it, and of none at its end", async () => {
  const { wakes, next, end, listeners } = givenStream(60_000);
  await next();
  const hint = next();
  expect(listeners()).toBe(1);
  wakes.notify([topic]);
  expect(listeners()).toBe(0);
  expect(await hint).toContain("changed");
  expect(listeners()).toBe(1);
  const last = next();
  end();
  expect(await last).toBeUndefined();
  expect(listeners()).toBe(0);
});
