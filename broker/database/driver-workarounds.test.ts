import { expect, it } from "vitest";
import { settleWithin } from "./driver-workarounds.ts";

it("answers what settles in time, and gives up what never does", async () => {
  await expect(settleWithin(Promise.resolve(1), 5_000)).resolves.toBe(1);
  await expect(settleWithin(Promise.reject(new Error("no")), 5_000)).rejects.toThrow("no");
  const never = new Promise<never>(() => {});
  await expect(settleWithin(never, 10)).rejects.toMatchObject({ code: "ETIMEDOUT" });
});
