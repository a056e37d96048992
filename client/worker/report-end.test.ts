import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AnyInput, Request } from "../requests/make-request.ts";
import { SvcError } from "../svc-error.ts";
import type { SignalResult } from "./claimed-signal.ts";
import { endOfError, endOfResult, reportEnd } from "./report-end.ts";
import { SignalFailure } from "./signal-failure.ts";

/** Reports to a broker that refuses so, time after time, and then takes what it is told. */
function setup(...refusals: readonly SvcError[]) {
  const told: { path: string; body: unknown }[] = [];
  const request: Request = async (_, path, { body }: AnyInput = {}) => {
    told.push({ path: path.replace(/^.*\//, ""), body });
    const refusal = refusals[told.length - 1];
    if (refusal !== undefined) throw refusal;
    return await Promise.resolve({ status: 200, headers: new Headers(), body: {} });
  };
  const signal = { id: "sig_1", lease_id: "l" };
  return { told, reporting: { request, queue: "que_1", signal, patienceMs: 60_000 } };
}

const invalid = new SvcError("It is invalid.", { code: "invalid", status: 422 });

describe("a failure", () => {
  test("is told in text that a broker stores", () => {
    const { body } = endOfError(new Error(`\0\uDC00${"x".repeat(3997)}😀`));
    expect(body).toEqual({ description: `\uFFFD\uFFFD${"x".repeat(3997)}` });
    expect(endOfError(Object.create(null))).toMatchObject({
      body: { description: "The handler failed." },
    });
  });

  test("that is refused is told without what may be wrong with it", async () => {
    const how = { retry: false, retryAfterMs: 1e9, result: { text: "\0" } };
    const { told, reporting } = setup(invalid);
    const end = endOfError(new SignalFailure("never", how));
    await expect(reportEnd(reporting, end)).rejects.toBe(invalid);
    expect(told.map(({ path }) => path)).toEqual(["fail", "fail"]);
    expect(told[1]?.body).toEqual({ lease_id: "l", description: "never", retry: false });
  });

  test("is told without a result that is no JSON", () => {
    const end = endOfError(new SignalFailure("no", { retry: false, result: { n: 1n } }));
    expect(end).toEqual({ what: "fail", body: { description: "no", retry: false } });
  });
});

describe("a result", () => {
  test("that is no JSON fails its signal for good", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const result of [{ n: 1n }, circle, (() => {}) as unknown as SignalResult])
      expect(failureOf(result)).toMatchObject({
        what: "fail",
        body: {
          description: expect.stringMatching(/^Its result is no JSON: ./) as string,
          retry: false,
        },
      });
  });

  test("is told as it was when the handler answered it", () => {
    const result = { n: 1 };
    const end = endOfResult(result);
    result.n = 2;
    expect(end).toEqual({ what: "complete", body: { result: { n: 1 } } });
    expect(endOfResult(undefined)).toEqual({ what: "complete", body: {} });
  });
});

test.each([3600, 30 * 24 * 3600])(
  "a report that is to be repeated in %i s is repeated within its patience",
  async (seconds) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const busy = new SvcError("busy", { code: "busy", status: 503, retryAfterMs: seconds * 1000 });
    const { told, reporting } = setup(busy, busy, busy, busy);
    const sinceMs = performance.now();
    const report = reportEnd(reporting, { what: "complete", body: {} }).catch(
      (error: unknown) => error,
    );
    await vi.advanceTimersByTimeAsync(59_000);
    expect(told).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(await report).toBe(busy);
    expect([told.length, performance.now() - sinceMs]).toEqual([2, 60_000]);
  },
);

function failureOf(result: SignalResult): unknown {
  try {
    return endOfResult(result);
  } catch (error) {
    return endOfError(error);
  }
}
