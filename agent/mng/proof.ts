import type { Driver } from "./driver.ts";
import type { BrokerLink } from "./management.ts";

/** Whether the agent that was started is known to the broker. */
export type Proof = {
  /** The version that it reported with a heartbeat, once there was one; and how long that was waited for. */
  readonly look: () => Promise<{ readonly version: string | undefined; readonly waitedMs: number }>;
};

const askEveryMs = 500;

/**
 * Waits for the first heartbeat of another process than the former one. Time in which the broker does not answer this
 * process itself does not count: it says nothing about the agent.
 */
export function makeProof(
  driver: Pick<Driver, "processId">,
  link: () => BrokerLink | undefined,
  former: string,
): Proof {
  let waitedMs = 0;
  let lookedAtMs = performance.now();
  let isAnswered = false;

  async function ask(): Promise<string | undefined> {
    const id = await driver.processId();
    const broker = link();
    if (broker === undefined || id === undefined || id === former) {
      isAnswered = broker?.isAnswering() === true;
      return undefined;
    }
    const process = await broker.lookAtProcess(id);
    isAnswered = process !== undefined;
    return process?.hasBeaten === true ? process.version : undefined;
  }

  return {
    async look() {
      if (waitedMs > 0 && performance.now() - lookedAtMs < askEveryMs) {
        return { version: undefined, waitedMs };
      }
      const version = await ask();
      const nowMs = performance.now();
      if (isAnswered) waitedMs += nowMs - lookedAtMs;
      lookedAtMs = nowMs;
      return { version, waitedMs };
    },
  };
}
