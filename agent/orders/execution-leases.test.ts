import { describe, expect, test } from "vitest";
import { makeTruthBook, type Moment, momentNow } from "./execution-leases.ts";

const ago = (ms: number): Moment => {
  const { monoMs, wallMs } = momentNow();
  return { monoMs: monoMs - ms, wallMs: wallMs - ms };
};
const minuteMs = 60_000;

function setup() {
  let asked = 0;
  const truth = makeTruthBook(() => void (asked += 1));
  const stop = new AbortController();
  /** Whether it may begin by what is known now. */
  const mayBegin = async (id = "exe_1"): Promise<boolean> => {
    const open = truth.mayBegin(id, stop.signal).then(() => true);
    return await Promise.race([open, Promise.resolve().then(async () => await nextTurn())]);
  };
  return { truth, stop, mayBegin, asked: () => asked };
}

const nextTurn = async (): Promise<false> =>
  await new Promise((resolve) => setImmediate(() => resolve(false)));

describe("something new of an execution", () => {
  test("begins at once when the broker spoke of it a moment ago", async () => {
    const { truth, mayBegin, asked } = setup();
    truth.heard(["exe_1"], ago(5_000));
    expect(await mayBegin()).toBe(true);
    expect(asked()).toBe(0);
  });

  test("waits when the broker never spoke of it here, until it does, however often it is asked in vain", async () => {
    const { truth, stop, asked } = setup();
    const begun = truth.mayBegin("exe_1", stop.signal).then(() => "begun");
    truth.unheard(momentNow());
    truth.heard(["exe_2"], momentNow());
    expect(await Promise.race([begun, nextTurn()])).toBe(false);
    expect(asked()).toBe(1);
    truth.heard(["exe_1"], momentNow());
    expect(await begun).toBe("begun");
  });

  test("waits after a freeze for an answer to what was asked after it", async () => {
    const { truth, mayBegin } = setup();
    truth.heard(["exe_1"], ago(70_000));
    truth.unheard(ago(70_000)); // the request that was under way when it froze
    expect(await mayBegin()).toBe(false);
    truth.heard(["exe_1"], ago(70_000)); // and its answer
    expect(await mayBegin()).toBe(false);
    truth.heard(["exe_1"], momentNow());
    expect(await mayBegin()).toBe(true);
  });

  test("waits when the host has slept, whichever of its clocks tells", async () => {
    const { truth, mayBegin } = setup();
    truth.heard(["exe_1"], { ...momentNow(), wallMs: Date.now() - 70_000 });
    expect(await mayBegin()).toBe(false);
    truth.heard(["exe_1"], { ...momentNow(), monoMs: performance.now() - 70_000 });
    expect(await mayBegin()).toBe(false);
  });

  test("begins while the broker is asked in vain, for as long as it does not give the process up", async () => {
    const { truth, mayBegin } = setup();
    truth.heard(["exe_1"], ago(4 * minuteMs));
    truth.unheard(ago(5_000));
    expect(await mayBegin()).toBe(true);
    truth.heard(["exe_2"], ago(6 * minuteMs));
    truth.unheard(ago(5_000));
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
  const { truth, asked } = setup();
  truth.doubt("exe_1");
  expect(asked()).toBe(1);
  truth.heard(["exe_1"], momentNow());
  truth.doubt("exe_1");
  expect(asked()).toBe(1);
  truth.heard(["exe_1"], ago(2_000));
  truth.doubt("exe_1");
  expect(asked()).toBe(2);
});
