import { describe, expect, test, vi } from "vitest";
import { FairQueue, type FairQueueParts, type Release } from "./fair-queue.ts";

function setup(parts: Partial<FairQueueParts> = {}) {
  const queue = new FairQueue({
    permits: 8,
    patienceMs: 60_000,
    tooLate: () => new Error("too late"),
    admit: () => {},
    ...parts,
  });
  const served: string[] = [];
  /** Asks for a permit; answers at once what may be called when it was given. */
  const ask = (orgId: string, token = orgId) => {
    let release: Release | undefined;
    let leave: (() => void) | undefined;
    const given = queue.take({ orgId, token }, (how) => (leave = how));
    const take = (permit: Release): void => {
      served.push(token);
      release = permit;
    };
    if (given instanceof Promise) given.then(take, () => {});
    else take(given);
    return {
      isServed: () => release !== undefined,
      release: () => release?.(),
      leave: () => leave?.(),
    };
  };
  const many = (count: number, orgId: string, token = orgId) =>
    Array.from({ length: count }, () => ask(orgId, token));
  const servedOf = (asked: readonly { isServed: () => boolean }[]) =>
    asked.filter((one) => one.isServed()).length;
  return { queue, served, ask, many, servedOf };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a fair queue", () => {
  test("gives one token less than half, one org half, and leaves the others room", async () => {
    const { many, servedOf, queue } = setup();
    expect(servedOf(many(50, "a", "a1"))).toBe(3);
    expect(servedOf(many(50, "a", "a2"))).toBe(1);
    expect(servedOf(many(50, "b"))).toBe(2);
    expect(servedOf(many(50, "c"))).toBe(1);
    expect(servedOf(many(1, "d"))).toBe(1);
    expect(queue.held).toBe(8);
  });

  test("lets an org in at once although others hold their permits for ever", () => {
    const { many, servedOf } = setup();
    many(1000, "a");
    many(1000, "b");
    expect(servedOf(many(1, "c"))).toBe(1);
  });

  test("serves who waits in turn: org by org, token by token", async () => {
    const { ask, served } = setup({ permits: 1 });
    const first = ask("x");
    const asked = [
      ask("a", "a1"),
      ask("a", "a1"),
      ask("a", "a2"),
      ask("b", "b1"),
      ask("b", "b1"),
      ask("c", "c1"),
    ];
    first.release();
    for (let n = 0; n < asked.length; n++) {
      await turn();
      for (const one of asked) if (one.isServed()) one.release();
    }
    expect(served).toEqual(["x", "a1", "b1", "c1", "a2", "b1", "a1"]);
  });

  test("gives a permit back once, and keeps nothing of who is gone", async () => {
    const { ask, many, queue } = setup();
    const one = ask("a");
    one.release();
    one.release();
    expect(queue.held).toBe(0);
    const asked = many(20, "a");
    for (const waiting of asked) waiting.leave();
    for (const withPermit of asked) withPermit.release();
    await turn();
    expect([queue.held, queue.waiting]).toEqual([0, 0]);
  });

  test("refuses who has too many here, and who waited too long", async () => {
    vi.useFakeTimers();
    try {
      const admit = (token: number, org: number): void => {
        if (token >= 2) throw new Error(`token ${token}`);
        if (org >= 3) throw new Error(`org ${org}`);
      };
      const { queue, ask } = setup({ permits: 1, patienceMs: 1000, admit });
      ask("a", "a1");
      const late = queue.take({ orgId: "a", token: "a1" }, () => {});
      expect(() => ask("a", "a1")).toThrow("token 2");
      ask("a", "a2");
      expect(() => ask("a", "a3")).toThrow("org 3");
      await Promise.all([
        expect(late).rejects.toThrow("too late"),
        vi.advanceTimersByTimeAsync(1001),
      ]);
      expect(queue.waiting).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
