import { setTimeout as sleep } from "node:timers/promises";
import type { Health } from "../../broker/health.ts";
import { OperatorError } from "../../shared/operator-error.ts";

const patienceMs = 20_000;
const pauseMs = 25;

/** Returns when the broker should be sent requests; an OperatorError says what it still lacks. */
export async function awaitReady(health: Health): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const faults = (await health.runChecks()).filter(({ fault }) => fault !== undefined);
    if (faults.length === 0) return;
    if (performance.now() > deadlineMs) {
      const lacks = faults.map(({ name, fault }) => `${name}: ${fault}`).join("; ");
      throw new OperatorError(`The broker is not ready (${lacks}).`);
    }
    await sleep(pauseMs);
  }
}
