import { describe, expect, test } from "vitest";
import { afterAttempt, retryDelaysMs, triesInLine } from "./after-attempt.ts";

const first = { tries: 0, isResent: false, isDetached: false };
const failed = { result: "failed", response_status: 500, retryAfterMs: undefined } as const;
const answered = (status: number, retryAfterMs?: number) => ({
  ...failed,
  response_status: status,
  retryAfterMs,
});

describe("a failed try", () => {
  test("is made again after each of the delays, give or take a fifth, and then no more", () => {
    const delays = retryDelaysMs.map((_, tries) => {
      const at = (chance: number) => afterAttempt({ ...first, tries }, failed, chance).delay_ms;
      return [at(0), at(0.5), at(1)];
    });
    expect(delays).toEqual(retryDelaysMs.map((ms) => [ms * 0.8, ms, ms * 1.2]));
    const last = afterAttempt({ ...first, tries: retryDelaysMs.length }, failed);
    expect(last).toMatchObject({ status: "failed", counts: "failed" });
  });

  test("leaves its stream after the fourth, once", () => {
    const detached = [0, 1, 2, 3, 4].map((tries) => {
      const isDetached = tries >= triesInLine;
      return afterAttempt({ ...first, tries, isDetached }, failed).is_detached;
    });
    expect(detached).toEqual([false, false, false, true, false]);
  });

  test.each([
    [302, undefined],
    [400, undefined],
    [404, undefined],
    [500, undefined],
    [null, undefined],
    [500, 90_000],
  ])("of status %j is made again by the schedule", (status, retryAfterMs) => {
    const next = afterAttempt(first, { ...failed, response_status: status, retryAfterMs }, 0.5);
    expect(next).toMatchObject({ status: "pending", delay_ms: retryDelaysMs[0], rest_ms: 0 });
  });

  test.each([429, 503])("of status %d is made again when the receiver asks for it", (status) => {
    const next = afterAttempt(first, answered(status, 90_000));
    expect(next).toMatchObject({ status: "pending", delay_ms: 90_000, rest_ms: 90_000 });
    expect(afterAttempt(first, answered(status), 0.5).delay_ms).toBe(retryDelaysMs[0]);
  });

  test.each([429, 503])("of status %d is never made again before the schedule says", (status) => {
    const delays = retryDelaysMs.map(
      (_, tries) => afterAttempt({ ...first, tries }, answered(status, 1000), 0.5).delay_ms,
    );
    expect(delays).toEqual(retryDelaysMs);
    expect(afterAttempt(first, answered(status, 1000)).rest_ms).toBe(1000);
  });

  test("with 401 is the last and says nothing of the webhook; with 410 it disables it", () => {
    expect(afterAttempt(first, answered(401))).toMatchObject({
      status: "failed",
      counts: "nothing",
    });
    expect(afterAttempt(first, answered(410))).toMatchObject({ status: "failed", counts: "gone" });
  });

  test("that somebody asked for is the last and says nothing of the webhook", () => {
    const next = afterAttempt({ ...first, isResent: true }, failed);
    expect(next).toMatchObject({ status: "failed", counts: "nothing" });
  });

  test("counts its event once", () => {
    const counted = [0, 1, 2].map((tries) => afterAttempt({ ...first, tries }, failed).is_first);
    expect(counted).toEqual([true, false, false]);
  });
});

test("a delivery that arrived is over", () => {
  const sent = { result: "delivered", response_status: 204, retryAfterMs: undefined } as const;
  expect(afterAttempt({ ...first, tries: 3 }, sent)).toMatchObject({
    status: "delivered",
    counts: "delivered",
    is_detached: false,
  });
});
