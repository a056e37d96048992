import { setTimeout as sleep } from "node:timers/promises";
import { callRoute, RequestRefused } from "../../shared/api/call-route.ts";
import { getReadinessRoute } from "../../shared/api/operations.ts";
import { OperatorError } from "../../shared/operator-error.ts";

const patienceMs = 20_000;
const pauseMs = 25;

/** Returns when the broker says that requests should be sent to it; an OperatorError says what it still lacks. */
export async function awaitReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const lacks = await callRoute({ url }, getReadinessRoute, {}).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof RequestRefused && error.status === 503) return error.message;
        throw error;
      },
    );
    if (lacks === undefined) return;
    if (performance.now() > deadlineMs)
      throw new OperatorError(`The broker is not ready: ${lacks}`);
    await sleep(pauseMs);
  }
}
