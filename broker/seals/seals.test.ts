import { hash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { OperatorError } from "../../shared/operator-error.ts";
import type { SealKey } from "./key-source.ts";
import { openSeals, sealedOverhead } from "./seals.ts";

const thing = { orgId: "org_1", id: "job_1", part: "plan" };
const plain = Buffer.from("the plan of a job");
const admitAll = async (): Promise<void> => {};
const newKey = (id: string): SealKey => ({ id, key: randomBytes(32) });
const sealsOf = (...keys: SealKey[]) => openSeals({ read: async () => keys });

describe("a seal", () => {
  test("hides what it seals, differently each time, and opens as what it was", async () => {
    const seals = await sealsOf(newKey("k1"));
    const [one, other] = [seals.seal(thing, plain), seals.seal(thing, plain)];
    expect(one.keyId).toBe("k1");
    expect(one.bytes.equals(other.bytes)).toBe(false);
    expect(one.bytes.includes("plan")).toBe(false);
    expect(seals.open(thing, one)).toEqual(plain);
    const empty = seals.seal(thing, Buffer.alloc(0));
    expect(seals.open(thing, empty)).toEqual(Buffer.alloc(0));
  });

  test.each([
    ["another org's", { ...thing, orgId: "org_2" }],
    ["another object's", { ...thing, id: "job_2" }],
    ["another part", { ...thing, part: "result" }],
    ["a shifted name", { ...thing, orgId: "org_1\0job_1", id: "" }],
  ])("does not open as %s", async (_, other) => {
    const seals = await sealsOf(newKey("k1"));
    const sealed = seals.seal(thing, plain);
    expect(() => seals.open(other, sealed)).toThrow(
      expect.objectContaining({ status: 503, code: "seal_broken" }),
    );
  });

  test("does not open when a byte of it was changed, or cut off", async () => {
    const seals = await sealsOf(newKey("k1"));
    const { keyId, bytes } = seals.seal(thing, plain);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const cut = bytes.subarray(0, at);
      for (const wrong of [changed, cut]) {
        expect(() => seals.open(thing, { keyId, bytes: wrong })).toThrow(/does not open/);
      }
    }
  });

  test("is opened from any block on, without the bytes before", async () => {
    const seals = await sealsOf(newKey("k1"));
    const long = randomBytes(1000);
    const { keyId, bytes } = seals.seal(thing, long);
    const { head } = sealedOverhead;
    const openAt = seals.openingAt({ keyId, bytes: bytes.subarray(0, head) });
    for (const from of [0, 16, 512, 992]) {
      const opened = openAt(from, bytes.subarray(head + from, head + 1000));
      expect(opened).toEqual(long.subarray(from));
    }
  });

  test("opens with an older key, and the newest seals", async () => {
    const [first, second] = [newKey("k1"), newKey("k2")];
    const sealed = (await sealsOf(first)).seal(thing, plain);
    const seals = await sealsOf(second, first);
    expect(seals.open(thing, sealed)).toEqual(plain);
    expect(seals.seal(thing, plain).keyId).toBe("k2");
  });

  test("of a key that is not there, or of another of its name, is told from what is damaged", async () => {
    const sealed = (await sealsOf(newKey("k1"))).seal(thing, plain);
    const [without, other] = [await sealsOf(newKey("k2")), await sealsOf(newKey("k1"))];
    expect(() => without.open(thing, sealed)).toThrow(
      expect.objectContaining({ status: 503, code: "seal_key_missing" }),
    );
    expect(() => other.open(thing, sealed)).toThrow(
      expect.objectContaining({ status: 503, code: "seal_broken" }),
    );
  });

  test("takes new keys without a restart, and keeps the old ones when the reading fails", async () => {
    const [first, second] = [newKey("k1"), newKey("k2")];
    let read = async (): Promise<SealKey[]> => [first];
    const seals = await openSeals({ read: () => read() });
    read = () => Promise.reject(new Error("away"));
    await expect(seals.refresh(admitAll)).rejects.toThrow("away");
    expect(seals.newest()).toBe("k1");
    read = async () => [second, first];
    await seals.refresh(admitAll);
    expect(seals.newest()).toBe("k2");
  });

  test("takes the keys that were read last, however slowly others are admitted that were read before", async () => {
    const [first, second] = [newKey("k1"), newKey("k2")];
    let keys = [first];
    const seals = await openSeals({ read: async () => keys });
    const admitted = Promise.withResolvers<void>();
    const slow = seals.refresh(async () => await admitted.promise);
    await Promise.resolve();
    keys = [second, first];
    const quick = seals.refresh(admitAll);
    admitted.resolve();
    await Promise.all([slow, quick]);
    expect(seals.newest()).toBe("k2");
  });

  test("takes no keys that are not admitted, and says why", async () => {
    const [first, second] = [newKey("k1"), newKey("k2")];
    let keys = [first];
    const seals = await openSeals({ read: async () => keys });
    keys = [second, first];
    const refuse = () => Promise.reject(new OperatorError("another k2 is known"));
    await expect(seals.refresh(refuse)).rejects.toThrow("another k2");
    expect([seals.newest(), seals.refusal()]).toEqual(["k1", "another k2 is known"]);
    await seals.refresh(admitAll);
    expect([seals.newest(), seals.refusal()]).toEqual(["k2", undefined]);
  });

  test("never seals with the same salt and number again, in this process or another, over refreshes", async () => {
    const key = newKey("k1");
    const [one, other] = [await sealsOf(key), await sealsOf(key)];
    const heads: string[] = [];
    for (let times = 0; times < 300; times++) {
      if (times % 100 === 0) await one.refresh(admitAll);
      for (const seals of [one, other])
        heads.push(seals.seal(thing, plain).bytes.subarray(0, 21).toString("hex"));
    }
    expect(new Set(heads).size).toBe(600);
    expect(new Set(heads.map((head) => head.slice(0, 34))).size).toBe(2); // a salt each, kept over refreshes
  });

  test("opens in another process", async () => {
    const key = newKey("k1");
    const sealed = (await sealsOf(key)).seal(thing, plain);
    expect((await sealsOf(key)).open(thing, sealed)).toEqual(plain);
  });

  test("is none without a key", async () => {
    const seals = await sealsOf();
    expect(seals.seal(thing, plain)).toEqual({ keyId: null, bytes: plain });
    expect(seals.open(thing, { keyId: null, bytes: plain })).toEqual(plain);
  });
});

test("a fingerprint tells equal contents, by each key another", async () => {
  const [first, second] = [newKey("k1"), newKey("k2")];
  const digest = hash("sha256", plain, "buffer");
  const both = (await sealsOf(second, first)).fingerprints(digest);
  const unsealed = { "": digest.toString("hex") }; // of what was stored without a key
  expect((await sealsOf(first)).fingerprints(digest)).toEqual({ ...unsealed, k1: both["k1"] });
  expect(new Set([both["k1"], both["k2"], digest.toString("hex")]).size).toBe(3);
});
