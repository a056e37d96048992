import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type AnyInput, type Request } from "../requests/make-request.ts";
import { SvcError } from "../svc-error.ts";
import { Worker } from "./worker.ts";

const signal = {
  id: "sig_1",
  type: "work",
  signal: {},
  execution_count: 1,
  max_executions: 3,
  lease_id: "l",
  lease_until: "2026-01-01T00:00:05Z",
};

type Broker = {
  /** Answers the first claim with one signal; those after it, with none, when they are stopped. */
  readonly claim?: () => Promise<unknown>;
  readonly extend?: () => Promise<unknown>;
};

/** A worker whose leases have five seconds, and what it asked for. */
function setup({ claim = () => Promise.resolve(), extend = () => Promise.resolve() }: Broker) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const asked: string[] = [];
  const errors: unknown[] = [];
  let claims = 0;
  const claimed = async (input: AnyInput) => {
    if (++claims > 1) await until(input.signal);
    else await claim();
    return { now: "2026-01-01T00:00:00Z", signals: claims === 1 ? [signal] : [] };
  };
  const request: Request = async (_, path, input = {}) => {
    const what = path.replace(/^.*\//, "");
    asked.push(what);
    const body = what === "claim" ? await claimed(input) : what === "extend" && (await extend());
    return { status: 200, headers: new Headers(), body };
  };
  const worker = new Worker({
    client: { request },
    queue: "que_1",
    leaseMs: 5_000,
    onError: (error) => void errors.push(error),
    handle: () => void asked.push("handle"),
  });
  void worker.run();
  onTestFinished(async () => {
    await worker.stop();
    vi.useRealTimers();
  });
  return { asked, errors };
}

const in6s = () => new Promise((resolve) => void setTimeout(resolve, 6_000));

describe("a claim that is answered", () => {
  test("soon needs no more for its handler to begin", async () => {
    const { asked } = setup({});
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.filter((what) => what !== "claim")).toEqual(["handle", "complete"]);
  });

  test("when its lease may be over has it extended before the handler begins", async () => {
    const { asked } = setup({ claim: in6s });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(asked.filter((what) => what !== "claim")).toEqual(["extend", "handle", "complete"]);
  });

  test("when its lease is over leaves the signal alone", async () => {
    const lost = new SvcError("lost", { code: "lease_lost", status: 409 });
    const first = setup({ claim: in6s, extend: () => Promise.reject(lost) });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(first.asked.filter((what) => what !== "claim")).toEqual(["extend"]);
    expect(first.errors).toEqual([lost]);
  });

  test("when its extension came too late leaves the signal alone", async () => {
    const { asked, errors } = setup({ claim: in6s, extend: in6s });
    await vi.advanceTimersByTimeAsync(12_000);
    expect(asked.filter((what) => what !== "claim")).toEqual(["extend"]);
    expect(errors).toMatchObject([{ code: "lease_ends" }]);
  });
});

test.each([3600, 30 * 24 * 3600])(
  "a claim that is to be repeated in %i s is repeated in a minute",
  async (seconds) => {
    const retryAfterMs = seconds * 1000;
    const paused = new SvcError("paused", { code: "queue_paused", status: 409, retryAfterMs });
    const { asked, errors } = setup({ claim: () => Promise.reject(paused) });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(asked).toEqual(["claim"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual(["claim", "claim"]);
    expect(errors).toEqual([paused]);
  },
);

async function until(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal === undefined) resolve();
    signal?.addEventListener("abort", () => resolve());
  });
}
