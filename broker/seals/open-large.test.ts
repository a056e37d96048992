import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeLimiter } from "../database/limiter.ts";
import { openLarge } from "./open-large.ts";
import { openSeals } from "./seals.ts";

const mebibyte = 1024 * 1024;

describe("what is sealed and large", () => {
  test("is read once for all who read it at the same time, and told to each byte for byte", async () => {
    const { parts, plain, large } = await setup(2 * mebibyte + 5000);
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { sizeBytes, pieces } = await openLarge(parts, large);
        expect(sizeBytes).toBe(plain.length);
        return await whole(pieces());
      }),
    );
    for (const text of texts) expect(text.equals(plain)).toBe(true);
    expect(large.longReads()).toBe(9);
  });

  test("is the same where its beginning is forgotten when it is read, and cut off where that was changed", async () => {
    const { parts, plain, stored, large } = await setup(33 * mebibyte);
    const { pieces } = await openLarge(parts, large);
    expect((await whole(pieces())).equals(plain)).toBe(true);
    expect(large.longReads()).toBeGreaterThan(33 * 4);
    stored[1000] = ~(stored[1000] ?? 0);
    await expect(whole(pieces())).rejects.toThrow(/was changed/);
  });
});

async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function setup(sizeBytes: number) {
  const source = { read: async () => [{ id: "k", key: randomBytes(32) }] };
  const seals = await openSeals(source);
  const thing = { orgId: "org_1", id: randomBytes(8).toString("hex"), part: "plan" };
  const plain = randomBytes(sizeBytes);
  const { keyId, bytes: stored } = seals.seal(thing, plain);
  let long = 0;
  const large = {
    thing,
    keyId,
    storedBytes: stored.length,
    longReads: () => long,
    read: async (from: number, length: number) => {
      if (length > 100) long += 1; // not the head and the tag
      return Buffer.from(stored.subarray(from, from + length));
    },
  };
  return { parts: { seals, largeReads: makeLimiter(1) }, plain, stored, large };
}
