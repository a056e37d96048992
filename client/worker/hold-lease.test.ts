import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SvcError } from "../svc-error.ts";
import { holdLease } from "./hold-lease.ts";

const leaseMs = 30_000;
const away = () => Promise.reject(new SvcError("away", { code: "unreachable" }));
const lost = () => Promise.reject(new SvcError("lost", { code: "lease_lost", status: 409 }));

function setup(extend: () => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const extended = vi.fn<() => Promise<unknown>>(extend);
  const onError = vi.fn<(error: unknown) => void>();
  const lease = holdLease({ leaseMs, leftMs: leaseMs, extend: extended, onError });
  return {
    lease,
    extended,
    onError,
    after: async (ms: number) => await vi.advanceTimersByTimeAsync(ms),
  };
}

describe("a held lease", () => {
  test("is extended at each third of it, and never ends", async () => {
    const { lease, extended, after } = setup(() => Promise.resolve());
    await after(9_999);
    expect(extended).toHaveBeenCalledTimes(0);
    await after(1);
    expect(extended).toHaveBeenCalledTimes(1);
    await after(90_000);
    expect(extended).toHaveBeenCalledTimes(10);
    expect(lease.signal.aborted).toBe(false);
    lease.release();
    await after(90_000);
    expect(extended).toHaveBeenCalledTimes(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that cannot be extended stops its handler before it ends, and is asked for until then", async () => {
    const { lease, extended, onError, after } = setup(away);
    await after(24_999);
    expect(lease.signal.aborted).toBe(false);
    expect(extended.mock.calls.length).toBeGreaterThan(4);
    expect(onError).toHaveBeenCalledTimes(extended.mock.calls.length);
    await after(1);
    expect(lease.signal.reason).toMatchObject({ code: "lease_ends" });
    expect(lease.isLost()).toBe(false);
  });

  test("that is lost stops its handler at once, and asks no more", async () => {
    const { lease, extended, after } = setup(lost);
    await after(10_000);
    expect(lease.signal.reason).toMatchObject({ code: "lease_lost" });
    expect(lease.isLost()).toBe(true);
    await after(90_000);
    expect(extended).toHaveBeenCalledTimes(1);
  });

  test("counts from when its extension was asked for, however late the answer is", async () => {
    const answers: (() => void)[] = [];
    const { lease, after } = setup(
      () => new Promise<void>((resolve) => void answers.push(resolve)),
    );
    await after(18_000); // asked at 10 s
    answers.shift()?.();
    await after(16_999); // to 35 s less a millisecond: 30 s after it was asked for, less the margin
    expect(lease.signal.aborted).toBe(false);
    await after(1);
    expect(lease.signal.aborted).toBe(true);
  });
});
