import { describe, expect, test } from "vitest";
import { type BudgetLimits, ByteBudget } from "./byte-budget.ts";

const limits = {
  what: "large bodies",
  brokerBytes: 10,
  orgBytes: 6,
  tokenBytes: 4,
  waitMs: 60_000,
};

/** A room, who enters it, and in which order they get in. */
function setup(given: Partial<BudgetLimits> = {}) {
  const refused: string[] = [];
  const budget = new ByteBudget({ ...limits, ...given }, (bound) => refused.push(bound));
  const entered: string[] = [];
  const enter = async (name: string, bytes: number, gone?: AbortSignal) => {
    const [orgId = ""] = name;
    const leave = await budget.enter({ orgId, tokenId: name, bytes }, gone);
    entered.push(name);
    return leave;
  };
  return { budget, refused, entered, enter };
}

describe("room for bytes", () => {
  test("is had at once by who fits, and by one that is larger than all of it when it is alone", async () => {
    const { budget, entered, enter } = setup();
    const leave = await enter("a", 64);
    const waiting = enter("b", 1);
    expect(entered).toEqual(["a"]);
    leave();
    leave(); // twice is once
    (await waiting)();
    expect(budget.heldBytes).toBe(0);
  });

  test("is shared: a token or an org with its share waits alone, others go past", async () => {
    const { entered, enter } = setup();
    const leaves = [await enter("a1", 4), await enter("a2", 2)];
    const again = enter("a1", 1);
    const colleague = enter("a3", 1);
    await enter("b", 4);
    expect(entered).toEqual(["a1", "a2", "b"]);
    for (const leave of leaves) leave();
    await Promise.all([again, colleague]);
    expect(entered).toEqual(["a1", "a2", "b", "a1", "a3"]);
  });

  test("is waited for by nobody who was gone before", async () => {
    const { budget, enter } = setup();
    const leave = await enter("a", 4);
    await expect(enter("a", 4, AbortSignal.abort())).rejects.toMatchObject({ status: 429 });
    expect(budget.waiting).toBe(0);
    leave();
    expect(budget.heldBytes).toBe(0);
  });

  test("is had at once or not at all by what is in memory already, and nobody who waits is passed", async () => {
    const { budget, refused, entered, enter } = setup();
    const now = (name: string, bytes: number) =>
      budget.enterNow({ orgId: name.slice(0, 1), tokenId: name, bytes });
    const leave = now("a1", 4);
    expect(() => now("a1", 1)).toThrow(/The large bodies of one token may use/);
    const waiting = enter("a2", 4);
    expect(() => now("a3", 1)).toThrow(/The large bodies of one org may use/);
    expect([refused, budget.waiting, entered]).toEqual([["token", "org"], 1, []]);
    now("b", 6)();
    leave();
    leave(); // twice is once
    (await waiting)();
    expect(budget.heldBytes).toBe(0);
  });

  test("is taken, full or not, by what cannot be refused any more, and others find it taken", () => {
    const { budget } = setup();
    const of = { orgId: "a", tokenId: "a", bytes: 20 };
    const leaves = [budget.hold(of), budget.hold(of)];
    expect(budget.heldBytes).toBe(40);
    expect(() => budget.enterNow({ ...of, orgId: "b", tokenId: "b" })).toThrow(/no memory left/);
    for (const leave of leaves) leave();
    budget.enterNow(of)();
    expect(budget.heldBytes).toBe(0);
  });

  test("of a full broker is had in turn: what is large is not passed for ever", async () => {
    const { entered, enter } = setup({ orgBytes: 10, tokenBytes: 10 });
    const leave = await enter("a", 8);
    const large = enter("b", 9);
    const small = enter("c", 1);
    expect(entered).toEqual(["a"]);
    leave();
    await large;
    await small;
    expect(entered).toEqual(["a", "b", "c"]);
  });

  test("of a token or an org that has its share is had in turn too", async () => {
    const { entered, enter } = setup();
    const leave = await enter("a1", 3);
    const large = enter("a1", 4);
    const small = enter("a1", 1);
    (await enter("a2", 1))();
    expect(entered).toEqual(["a1", "a2"]);
    leave();
    (await large)();
    await small;
    expect(entered).toEqual(["a1", "a2", "a1", "a1"]);
  });

  test.each([
    ["token", "a1", { brokerBytes: 100, orgBytes: 100 }, 429, /one token .* 4 MiB/],
    ["org", "a2", { brokerBytes: 100, tokenBytes: 100 }, 429, /one org .* 6 MiB/],
    ["broker", "b", { orgBytes: 100, tokenBytes: 100 }, 503, /broker has no memory left/],
  ])("that is not had in time is refused, and the %s is named", async (...row) => {
    const [bound, by, given, status, words] = row;
    const mebibyte = 1024 * 1024;
    const wide = { ...limits, ...given, waitMs: 1 };
    const { enter, refused, budget } = setup({
      ...wide,
      brokerBytes: wide.brokerBytes * mebibyte,
      orgBytes: wide.orgBytes * mebibyte,
      tokenBytes: wide.tokenBytes * mebibyte,
    });
    await enter("a1", 10 * mebibyte);
    await expect(enter(by, mebibyte)).rejects.toMatchObject({
      status,
      message: expect.stringMatching(words) as string,
      headers: { "retry-after": "2" },
    });
    expect(refused).toEqual([bound]);
    expect(budget.waiting).toBe(0);
  });

  test.each([
    ["a token has a quarter of it", ["a1", "a1", "a1", "a1"], "a1", 429],
    ["all have it", [..."bcdefghijklmnopq"], "r", 503],
  ])("is not waited for by more in memory: %s", async (_, owners, last, status) => {
    const page = 4096;
    const { budget, refused } = setup({ mostWaitingBytes: 16 * page, ownerWord: "log stream" });
    const enter = (name: string) =>
      budget.enter({ orgId: name, tokenId: name, bytes: 4, waitingBytes: 1 });
    const leave = budget.hold({ orgId: "full", tokenId: "full", bytes: 10 });
    const waiting = owners.map(enter);
    const message: unknown = expect.stringMatching(status === 429 ? /this log stream/ : /memory/);
    await expect(enter(last)).rejects.toMatchObject({ status, message });
    expect([refused.length, budget.waiting]).toEqual([1, owners.length]);
    leave();
    for (const one of waiting) (await one)();
    expect(budget.heldBytes).toBe(0);
    (await enter(last))();
  });

  test("is not kept for who is gone", async () => {
    const { enter, budget } = setup();
    const leave = await enter("a", 4);
    const gone = new AbortController();
    const waiting = enter("a", 4, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    leave();
    expect(budget.heldBytes).toBe(0);
  });
});
