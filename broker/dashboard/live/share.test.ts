import { expect, test } from "vitest";
import { makeShare } from "./share.ts";

/** Makes parts that say when they were begun, and are done when they are told. */
function makeParts() {
  const share = makeShare<number>();
  const begun: (() => void)[] = [];
  return {
    begun,
    ask: (key = "a") =>
      share(key, async () => {
        const number = begun.length + 1;
        await new Promise<void>((resolve) => void begun.push(resolve));
        return number;
      }),
  };
}

test("whoever comes while a part is made waits for the next, which is one for all of them", async () => {
  const { begun, ask } = makeParts();
  const first = ask();
  await expect.poll(() => begun.length).toBe(1);
  const others = [ask(), ask(), ask()];
  begun[0]?.();
  expect(await first).toBe(1);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.();
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  expect(begun).toHaveLength(2);
});

test("another key waits for nobody", async () => {
  const { begun, ask } = makeParts();
  const one = ask("a");
  const other = ask("b");
  await expect.poll(() => begun.length).toBe(2);
  for (const done of begun) done();
  expect(await Promise.all([one, other])).toEqual([1, 2]);
});

test("a part that could not be made keeps nobody from the next", async () => {
  const share = makeShare<number>();
  await expect(share("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await share("a", async () => 2)).toBe(2);
});
