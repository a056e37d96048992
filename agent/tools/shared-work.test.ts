import { describe, expect, test } from "vitest";
import { makeSharedWork } from "./shared-work.ts";

/** Work that ends when it is let, or when it is told to stop. */
function setup(longestMs = 600_000) {
  const share = makeSharedWork(longestMs);
  const begun: AbortSignal[] = [];
  const end = Promise.withResolvers<void>();
  const act = async (signal: AbortSignal): Promise<void> => {
    begun.push(signal);
    const stopped = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => stopped.reject(signal.reason as Error));
    await Promise.race([end.promise, stopped.promise]);
  };
  const [one, other] = [new AbortController(), new AbortController()];
  return {
    begun,
    end,
    one,
    other,
    join: async (by: AbortController) => await share("x", by.signal, act),
  };
}

describe("work that several wait for", () => {
  test("is done once, and goes on while one of them is left", async () => {
    const { begun, end, one, other, join } = setup();
    const [first, second] = [join(one), join(other)];
    one.abort(new Error("cancelled"));
    await expect(first).rejects.toThrow("cancelled");
    expect(begun.map(({ aborted }) => aborted)).toEqual([false]);
    end.resolve();
    await second;
    await join(other);
    expect(begun).toHaveLength(2); // it was over
  });

  test("is stopped when the last has gone, and begun anew by who comes then", async () => {
    const { begun, end, one, other, join } = setup();
    const first = join(one);
    one.abort(new Error("cancelled"));
    await expect(first).rejects.toThrow("cancelled");
    expect(begun[0]?.aborted).toBe(true);
    await expect(join(one)).rejects.toThrow("cancelled");
    end.resolve();
    await join(other);
    expect(begun).toHaveLength(2);
  });

  test("is stopped when it takes too long", async () => {
    const { one, join } = setup(20);
    await expect(join(one)).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
