import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeHeldClaims } from "./held-claims.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const pass = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1_000);

describe("claims that are held back", () => {
  test("are so for ten seconds, then twice as long, and not for ever", () => {
    const held = makeHeldClaims();
    expect(held.problem()).toBeUndefined();
    for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
      held.hold("no room");
      pass(seconds - 1);
      expect(held.problem()).toEqual({ words: "no room", code: 11 });
      pass(1);
      expect(held.problem()).toBeUndefined();
    }
  });

  test("are held once by what was refused together", () => {
    const held = makeHeldClaims();
    for (let nth = 0; nth < 5; nth++) held.hold("no room");
    pass(10);
    expect(held.problem()).toBeUndefined();
  });

  test("are held for as long as what is heeded says so, whatever room there is", () => {
    const held = makeHeldClaims();
    let why: string | undefined = "no Lease";
    held.addCondition(() => why);
    held.release();
    expect(held.problem()).toEqual({ words: "no Lease", code: 37 });
    why = undefined;
    expect(held.problem()).toBeUndefined();
  });

  test("begin anew when there was room", () => {
    const held = makeHeldClaims();
    held.hold("no room");
    pass(10);
    held.hold("no room");
    held.release();
    expect(held.problem()).toBeUndefined();
    held.hold("no room");
    pass(10);
    expect(held.problem()).toBeUndefined();
  });
});
