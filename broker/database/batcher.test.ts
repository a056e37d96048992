import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeBatcher } from "./batcher.ts";

type Flush = { items: readonly number[]; finish: (results: (number | Error)[]) => void };

/** A gathered call whose flushes end when the test says so. */
function setup(options: { max: number; delayMs?: number }) {
  const flushes: Flush[] = [];
  const call = makeBatcher<number, number>(
    (items) => new Promise((finish) => flushes.push({ items, finish })),
    options,
  );
  return { call, flushes };
}

test("a lone call goes at once", async () => {
  const { call, flushes } = setup({ max: 10 });
  const answer = call(1);
  await nextTurn();
  expect(flushes.map(({ items }) => items)).toEqual([[1]]);
  flushes[0]?.finish([10]);
  expect(await answer).toBe(10);
});

test("calls of one turn travel together", async () => {
  const { call, flushes } = setup({ max: 10 });
  const answers = Promise.all([call(1), call(2), call(3)]);
  await nextTurn();
  expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  flushes[0]?.finish([10, 20, 30]);
  expect(await answers).toEqual([10, 20, 30]);
});

test("calls that arrive during a flush share the next one, no more than max at a time", async () => {
  const { call, flushes } = setup({ max: 2 });
  const first = call(1);
  await nextTurn();
  const later = Promise.all([call(2), call(3), call(4)]);
  await nextTurn();
  expect(flushes).toHaveLength(1);
  flushes[0]?.finish([1]);
  await first;
  await expect.poll(() => flushes[1]?.items).toEqual([2, 3]);
  flushes[1]?.finish([2, 3]);
  await expect.poll(() => flushes[2]?.items).toEqual([4]);
  flushes[2]?.finish([4]);
  expect(await later).toEqual([2, 3, 4]);
});

test("what the database refuses fails alone, and what came along with it does not", async () => {
  const flushed: (readonly number[])[] = [];
  const call = makeBatcher<number, number>(
    async (items) => {
      flushed.push(items);
      if (items.includes(2)) throw Object.assign(new Error("refused"), { code: "22P05" });
      return items;
    },
    { max: 10 },
  );
  const settled = await Promise.allSettled([call(1), call(2), call(3)]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(flushed).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test("a flush that fails rejects its own calls and no others", async () => {
  let isBroken = true;
  const call = makeBatcher<number, number>(
    async (items) => {
      if (isBroken) throw new Error("connection lost");
      return items;
    },
    { max: 10 },
  );
  const [first, second] = await Promise.allSettled([call(1), call(2)]);
  expect(first.status).toBe("rejected");
  expect(second.status).toBe("rejected");
  isBroken = false;
  expect(await call(3)).toBe(3);
});

test("an error among the results rejects one call", async () => {
  const call = makeBatcher<number, number>(
    async (items) => items.map((item) => (item === 2 ? new Error("no") : item)),
    { max: 10 },
  );
  const settled = await Promise.allSettled([call(1), call(2), call(3)]);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a flush with too few results is an error, never a mix-up", async () => {
  const call = makeBatcher<number, number>(async () => [1], { max: 10 });
  await expect(Promise.all([call(1), call(2)])).rejects.toThrow("2 items answered 1");
});

test("a flush that throws before its promise rejects its calls", async () => {
  const call = makeBatcher<number, number>(
    () => {
      throw new Error("at once");
    },
    { max: 10 },
  );
  await expect(call(1)).rejects.toThrow("at once");
});

test("a delay holds the second flush back, not the first", async () => {
  const { call, flushes } = setup({ max: 10, delayMs: 60_000 });
  const first = call(1);
  await nextTurn();
  flushes[0]?.finish([1]);
  await first;
  void call(2);
  await nextTurn();
  expect(flushes).toHaveLength(1);
});

test("owners whose flush waits in vain for a lock go apart; the others neither wait again nor fail", async () => {
  const together: (readonly string[])[] = [];
  const separate: (readonly string[])[] = [];
  let isLocked = true;
  const jam = (items: readonly string[]): readonly string[] => {
    if (isLocked && items.some((item) => item.startsWith("a"))) {
      throw Object.assign(new Error("lock timeout"), { code: "55P03" });
    }
    return items;
  };
  const call = makeBatcher<string, string>(
    async (items) => {
      together.push(items);
      return jam(items);
    },
    {
      max: 10,
      separate: {
        ownerOf: (item) => item.charAt(0),
        flush: async (items) => {
          separate.push(items);
          return jam(items);
        },
      },
    },
  );
  const first = await Promise.allSettled([call("a1"), call("b1"), call("b2"), call("a2")]);
  expect(first.map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "fulfilled",
    "rejected",
  ]);
  expect(together).toEqual([["a1", "b1", "b2", "a2"]]);
  expect(separate).toEqual([
    ["a1", "a2"],
    ["b1", "b2"],
  ]);

  const second = await Promise.allSettled([call("a3"), call("b3")]);
  expect(second.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(together.at(-1)).toEqual(["b3"]);

  isLocked = false;
  expect(await call("a4")).toBe("a4"); // still apart, and then no more
  expect(separate.at(-1)).toEqual(["a4"]);
  await nextTurn();
  expect(await call("a5")).toBe("a5");
  expect(together.at(-1)).toEqual(["a5"]);
});

test("a flush carries so many bytes at the most, or one item that is larger", async () => {
  const flushes: string[][] = [];
  const call = makeBatcher(
    async (items: readonly string[]) => {
      flushes.push([...items]);
      return items;
    },
    { max: 10, bytesOf: (item) => item.length, maxBytes: 4 },
  );
  await Promise.all(["aaa", "b", "c", "dddddd", "ee"].map(call));
  expect(flushes).toEqual([["aaa", "b"], ["c"], ["dddddd"], ["ee"]]);
});
