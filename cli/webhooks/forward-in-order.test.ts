import { expect, test } from "vitest";
import { forwardInOrder } from "./forward-in-order.ts";

type Item = { readonly line: string; readonly n: number };

/** A forwarder whose calls end when the test says so. */
function given() {
  const sent: Item[] = [];
  const under = new Map<Item, () => void>();
  const forwarder = forwardInOrder<Item>(
    ({ line }) => line,
    async (item) => {
      sent.push(item);
      await new Promise<void>((resolve) => under.set(item, resolve));
      under.delete(item);
    },
  );
  const end = async (item: Item): Promise<void> => {
    under.get(item)?.();
    await settled();
  };
  return { forwarder, sent, under, end };
}

const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve();
};
const item = (line: string, n: number): Item => ({ line, n });

test("things of one line are sent one after the other, those of others beside them", async () => {
  const { forwarder, sent, end } = given();
  const [a1, a2, b1] = [item("a", 1), item("a", 2), item("b", 1)] as const;
  for (const one of [a1, a2, b1]) forwarder.add(one);
  await settled();
  expect(sent).toEqual([a1, b1]);
  await end(b1);
  expect(sent).toEqual([a1, b1]);
  await end(a1);
  expect(sent).toEqual([a1, b1, a2]);
  await end(a2);
  await forwarder.done();
});

test("four are under way at once", async () => {
  const { forwarder, sent, under, end } = given();
  const items = Array.from({ length: 9 }, (_, n) => item(`line ${n}`, n));
  for (const one of items) forwarder.add(one);
  await settled();
  expect(sent).toEqual(items.slice(0, 4));
  for (const one of items) {
    await end(one);
    expect(under.size).toBeLessThanOrEqual(4);
  }
  await forwarder.done();
  expect(sent).toEqual(items);
});

test("who adds waits while many are waiting", async () => {
  const { forwarder, sent, end } = given();
  for (let n = 0; n < 500; n++) forwarder.add(item("a", n));
  let isRoom = false;
  const room = forwarder.room().then(() => (isRoom = true));
  await settled();
  expect(isRoom).toBe(false);
  const [first] = sent;
  if (first !== undefined) await end(first);
  await room;
  expect(isRoom).toBe(true);
});
