import { describe, expect, test } from "vitest";
import { makeExecutionLeases, type Moment, momentNow } from "./execution-leases.ts";

const ago = (ms: number): Moment => {
  const { monoMs, wallMs } = momentNow();
  return { monoMs: monoMs - ms, wallMs: wallMs - ms };
};
const minuteMs = 60_000;

function setup() {
  let asked = 0;
  const leases = makeExecutionLeases(() => void (asked += 1));
  const stop = new AbortController();
  /** Whether it may begin by what is known now. */
  const mayBegin = async (id = "exe_1"): Promise<boolean> => {
    const open = leases.mayBegin(id, stop.signal).then(() => true);
    return await Promise.race([open, Promise.resolve().then(async () => await nextTurn())]);
  };
  return { leases, stop, mayBegin, asked: () => asked };
}

const nextTurn = async (): Promise<false> =>
  await new Promise((resolve) => setImmediate(() => resolve(false)));

describe("something new of an execution", () => {
  test("begins at once when the broker spoke of it a moment ago", async () => {
    const { leases, mayBegin, asked } = setup();
    leases.renewed(["exe_1"], ago(5_000));
    expect(await mayBegin()).toBe(true);
    expect(asked()).toBe(0);
  });

  test("waits when the broker never spoke of it here, until it does, however often it is asked in vain", async () => {
    const { leases, stop, asked } = setup();
    const begun = leases.mayBegin("exe_1", stop.signal).then(() => "begun");
    leases.renewalFailed(momentNow());
    leases.renewed(["exe_2"], momentNow());
    expect(await Promise.race([begun, nextTurn()])).toBe(false);
    expect(asked()).toBe(1);
    leases.renewed(["exe_1"], momentNow());
    expect(await begun).toBe("begun");
  });

  test("waits after a freeze for an answer to what was asked after it", async () => {
    const { leases, mayBegin } = setup();
    leases.renewed(["exe_1"], ago(70_000));
    leases.renewalFailed(ago(70_000)); // the request that was under way when it froze
    expect(await mayBegin()).toBe(false);
    leases.renewed(["exe_1"], ago(70_000)); // and its answer
    expect(await mayBegin()).toBe(false);
    leases.renewed(["exe_1"], momentNow());
    expect(await mayBegin()).toBe(true);
  });

  test("waits when the host has slept, whichever of its clocks tells", async () => {
    const { leases, mayBegin } = setup();
    leases.renewed(["exe_1"], { ...momentNow(), wallMs: Date.now() - 70_000 });
    expect(await mayBegin()).toBe(false);
    leases.renewed(["exe_1"], { ...momentNow(), monoMs: performance.now() - 70_000 });
    expect(await mayBegin()).toBe(false);
  });

  test("begins while the broker is asked in vain, for as long as it does not give the process up", async () => {
    const { leases, mayBegin } = setup();
    leases.renewed(["exe_1"], ago(4 * minuteMs));
    leases.renewalFailed(ago(5_000));
    expect(await mayBegin()).toBe(true);
    leases.renewed(["exe_2"], ago(6 * minuteMs));
    leases.renewalFailed(ago(5_000));
    expect(await mayBegin("exe_2")).toBe(false);
  });

  test("waits no longer when its job is stopped", async () => {
    const { stop, mayBegin, asked } = setup();
    expect(await mayBegin()).toBe(false);
    stop.abort();
    expect(await mayBegin()).toBe(true);
    expect(asked()).toBe(1);
  });
});

test("doubts that come in a row are one question", () => {
  const { leases, asked } = setup();
  leases.recheck("exe_1");
  expect(asked()).toBe(1);
  leases.renewed(["exe_1"], momentNow());
  leases.recheck("exe_1");
  expect(asked()).toBe(1);
  leases.renewed(["exe_1"], ago(2_000));
  leases.recheck("exe_1");
  expect(asked()).toBe(2);
});
