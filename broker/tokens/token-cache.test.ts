import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Actor } from "./actor.ts";
import { createTokenCache, type ExecutionCredential } from "./token-cache.ts";

const bounds = {
  mostBytes: 10 * 4096,
  mostTokens: 1000,
  oldestMs: 60_000,
  mostRefusals: 10,
  refusedForMs: 5_000,
};

function setup(more: Partial<typeof bounds> = {}) {
  const known = createTokenCache({ ...bounds, ...more });
  const credentialOf = (id: string): ExecutionCredential => ({
    actor: { executionId: id } as Actor,
    expiresInMs: 3_600_000,
  });
  const learn = (id: string) => known.learn(`digest of ${id}`, async () => credentialOf(id));
  const isKnown = (id: string) => known.get(`digest of ${id}`) !== undefined;
  return { known, credentialOf, learn, isKnown };
}

/** No time passes but what the test lets pass; the cache looks at the clock anew each millisecond of the real one. */
function stopTime(): { readonly pass: (ms: number) => void } {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  return { pass: (ms) => void (nowMs += ms) };
}

describe("the tokens that are remembered", () => {
  test("stay within their bytes: the one that was used longest ago goes first", async () => {
    const { known, learn, isKnown } = setup();
    for (let n = 0; n < 10; n++) await learn(`exe_${n}`);
    expect(isKnown("exe_0")).toBe(true);
    await learn("exe_10");
    expect(isKnown("exe_0")).toBe(true);
    expect(isKnown("exe_1")).toBe(false);
    expect(known.bytes()).toBeLessThanOrEqual(bounds.mostBytes);
  });

  test("are forgotten by their age", async () => {
    const time = stopTime();
    const { learn, isKnown } = setup();
    await learn("exe_1");
    time.pass(59_000);
    expect(isKnown("exe_1")).toBe(true);
    time.pass(2_000);
    await expect.poll(() => isKnown("exe_1")).toBe(false);
  });

  test("an account's weighs as much as the orgs that it may act in", async () => {
    const { known } = setup({ mostBytes: 100 * 4096 });
    const roles = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`org_${n}`, []]));
    const row = { digest: "d", id: "tok", account_id: "acc", account_roles: roles };
    await known.learn(
      "d",
      async () => ({ ...row, is_revoked: false, expires_in_ms: null }) as never,
    );
    expect(known.bytes()).toBe(41 * 4096);
  });
});

describe("a refusal", () => {
  test("is remembered for a moment, and so are not all that ever were", async () => {
    const time = stopTime();
    const { known } = setup();
    const guess = (n: number) => known.learn(`guess ${n}`, async () => undefined);
    for (let n = 0; n < 50; n++) await expect(guess(n)).rejects.toThrow("token is unknown");
    expect(known.refusal("guess 49")?.message).toContain("token is unknown");
    expect(known.refusal("guess 0")).toBeUndefined();
    time.pass(6_000);
    await expect.poll(() => known.refusal("guess 49")).toBeUndefined();
  });
});

describe("a token that is forgotten while it is looked up", () => {
  test("is not remembered; another one is, although look-ups never cease", async () => {
    const { known, credentialOf, learn, isKnown } = setup();
    const slow = Promise.withResolvers<void>();
    const lookedUp = known.learn("digest of exe_1", async () => {
      await slow.promise;
      return credentialOf("exe_1");
    });
    known.forget(["exe_1"]);
    await learn("exe_2");
    await learn("exe_1");
    expect(isKnown("exe_2")).toBe(true);
    expect(isKnown("exe_1")).toBe(true); // it was read after it was forgotten
    known.forgetAll();
    await learn("exe_3");
    expect(isKnown("exe_3")).toBe(true);
    slow.resolve();
    await lookedUp;
    expect(isKnown("exe_1")).toBe(false);
    expect(known.wasSeen("digest of exe_1")).toBe(true);
  });
});
