import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { DecompressionBudget } from "./decompression-budget.ts";

const limits = { mostBytes: 64, mostWaitingBytes: 400 * 4096 };
const setup = () => {
  const budget = new DecompressionBudget(limits);
  const running: { key: string; end: () => void }[] = [];
  const entered: string[] = [];
  const start = (key: string, bytes: number, waitingBytes = 0) =>
    budget.within({ key, bytes, waitingBytes }, async () => {
      entered.push(key);
      const until = Promise.withResolvers<void>();
      running.push({ key, end: until.resolve });
      await until.promise;
      return key;
    });
  const endOne = async () => {
    running.shift()?.end();
    await turn();
  };
  return { budget, running, entered, start, endOne };
};

test("no more is held at once than there is room for, and everybody gets a turn", async () => {
  const { budget, running, start, endOne } = setup();
  const all = Array.from({ length: 200 }, (_, n) => start(`stream ${n % 40}`, 1 + ((n * 7) % 32)));
  await turn();
  while (running.length > 0) {
    expect(budget.heldBytes).toBeLessThanOrEqual(limits.mostBytes);
    await endOne();
  }
  expect(await Promise.all(all)).toHaveLength(200);
  expect(budget.heldBytes).toBe(0);
});

test("one key takes half of the room at most; others go past what waits of it", async () => {
  const { entered, start, running, endOne } = setup();
  const all = [start("bomb", 32), start("bomb", 32), start("bomb", 32), start("honest", 3)];
  await turn();
  expect(entered).toEqual(["bomb", "honest"]);
  while (running.length > 0) await endOne();
  expect(await Promise.all(all)).toEqual(["bomb", "bomb", "bomb", "honest"]);
});

test("what is large is not passed for ever where the whole is full", async () => {
  const { entered, start, running, endOne } = setup();
  const all = [start("a", 32), start("b", 20), start("large", 30), start("late", 1)];
  await turn();
  expect(entered).toEqual(["a", "b"]);
  await endOne();
  expect(entered).toEqual(["a", "b", "large", "late"]);
  while (running.length > 0) await endOne();
  await Promise.all(all);
});

test("too much that waits is refused, of one key sooner", async () => {
  const { start, running, endOne } = setup();
  const full = [start("a", 32), start("b", 32)];
  const waiting = Array.from({ length: 100 }, () => start("a", 1));
  await expect(start("a", 1)).rejects.toMatchObject({ status: 503 });
  waiting.push(...["c", "d", "e"].map((key) => start(key, 1, 100 * 4096)));
  await expect(start("f", 1)).rejects.toMatchObject({ status: 503 });
  while (running.length > 0) await endOne();
  expect(await Promise.all([...full, ...waiting])).toHaveLength(105);
});

test("what fails leaves its room", async () => {
  const { budget } = setup();
  const failing = budget.within({ key: "a", bytes: 64, waitingBytes: 0 }, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(budget.heldBytes).toBe(0);
});
