import { describe, expect, test } from "vitest";
import { ItemTooLong, jsonItems } from "./json-items.ts";

/** The items of a text that comes in pieces of so many bytes. */
async function itemsOf(text: string, pieceBytes: number, mostBytes = 1_000): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of jsonItems(piecesOf(text, pieceBytes), mostBytes)) {
    items.push(JSON.parse(item.toString("utf8")));
  }
  return items;
}

async function* piecesOf(text: string, pieceBytes: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
  }
}

const awkward = [
  { name: "a", list: [[], [{}], { b: "]}" }] },
  { text: 'a "quoted" one \\', "[": "{", empty: {} },
  {},
  { far: "grüße 🚀 \u2028", slash: "\\\\" },
];

describe("the items of a JSON array that comes in pieces", () => {
  test.each([1, 2, 3, 7, 64, 10_000])("are what it holds, in pieces of %i bytes", async (bytes) => {
    expect(await itemsOf(JSON.stringify(awkward), bytes)).toEqual(awkward);
    expect(await itemsOf(` ${JSON.stringify(awkward, null, 3)}\n`, bytes)).toEqual(awkward);
    expect(await itemsOf("[]", bytes)).toEqual([]);
  });

  test("are there before the next one comes", async () => {
    let isAsked = false;
    async function* pieces(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('[{"n":1},'));
      isAsked = true;
      yield Buffer.from('{"n":2}]');
    }
    const seen: [item: string, isAsked: boolean][] = [];
    for await (const item of jsonItems(pieces(), 100)) seen.push([item.toString(), isAsked]);
    expect(seen).toEqual([
      ['{"n":1}', false],
      ['{"n":2}', true],
    ]);
  });

  test("are an error where the array breaks off, or is none", async () => {
    const whole = JSON.stringify(awkward);
    for (const text of ["", "null", "[", '[{"a":1}', '[{"a":1},', whole.slice(0, -1)]) {
      await expect(itemsOf(text, 5)).rejects.toThrow("not an array");
    }
  });

  test.each([
    '{"message":"log in"}',
    '{"items":[]}',
    "<html><script>function a(){}</script></html>",
    '[{"a":1}] and more',
    "[][]",
    '["a"]',
    "[[{}]]",
    '[{"a":1}}',
  ])("are an error where somebody else's answer stands in its place: %s", async (text) => {
    for (const bytes of [1, 5, 100]) {
      await expect(itemsOf(text, bytes)).rejects.toThrow("not an array");
    }
  });

  test("may each be as long as was allowed, and no longer", async () => {
    const item = { text: "x".repeat(89) }; // 100 bytes
    expect(await itemsOf(JSON.stringify([item, item, item]), 8, 100)).toHaveLength(3);
    const longer = { text: `${item.text}x` };
    await expect(itemsOf(JSON.stringify([item, longer]), 8, 100)).rejects.toThrow(ItemTooLong);
    await expect(itemsOf(JSON.stringify([longer]), 10_000, 100)).rejects.toThrow(ItemTooLong);
  });
});
