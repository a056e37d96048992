import { expect } from "vitest";
import { svc } from "./svc.ts";

/** A quiet machine starts the command line in less. */
const quietStartMs = 1_000;

/**
 * What is done takes less than the bound. The bound is a promise of the program, so it holds as it is on a quiet machine;
 * how busy others keep this one is not the program's doing, so where its mere start takes so many times longer, as many
 * times the bound is allowed. Measured before, and once more after what took too long: others come and go.
 */
export async function expectWithin(boundMs: number, act: () => Promise<unknown>): Promise<void> {
  const before = await slowness();
  const startedMs = performance.now();
  await act();
  const tookMs = performance.now() - startedMs;
  const slow = tookMs < boundMs ? 1 : Math.max(before, await slowness());
  expect(tookMs).toBeLessThan(boundMs * slow);
}

/** How many times longer a start takes than on a quiet machine, there 1. */
async function slowness(): Promise<number> {
  const startedMs = performance.now();
  await svc(["version"]);
  return Math.max(1, (performance.now() - startedMs) / quietStartMs);
}
