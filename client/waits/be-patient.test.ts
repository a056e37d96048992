import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SvcError } from "../svc-error.ts";
import { bePatient } from "./be-patient.ts";

const away = new SvcError("away", { code: "unreachable" });
const refused = new SvcError("no", { code: "job_not_found", status: 404 });

function setup(ask: () => Promise<string>) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asking = vi.fn<() => Promise<string>>(ask);
  const answer = bePatient(asking, {}).catch((error: unknown) => error);
  return { asking, answer };
}

describe("a broker that is away", () => {
  test("is asked again until it is back", async () => {
    let left = 2;
    const { asking, answer } = setup(() =>
      left-- > 0 ? Promise.reject(away) : Promise.resolve("x"),
    );
    await vi.runAllTimersAsync();
    expect(await answer).toBe("x");
    expect(asking).toHaveBeenCalledTimes(3);
  });

  test("is given up after a minute, and one that refuses at once", async () => {
    const gone = setup(() => Promise.reject(away));
    const beganMs = performance.now();
    await vi.runAllTimersAsync();
    expect(await gone.answer).toBe(away);
    expect(performance.now() - beganMs).toBeLessThanOrEqual(60_000);
    expect(gone.asking.mock.calls.length).toBeGreaterThan(8);
    const { asking, answer } = setup(() => Promise.reject(refused));
    expect(await answer).toBe(refused);
    expect(asking).toHaveBeenCalledTimes(1);
  });
});
