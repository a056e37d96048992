import { setTimeout as sleep } from "node:timers/promises";

const mostMs = 200;

/**
 * Waits before processes are checked again: 1 ms at first, then twice as long each time, at most 200 ms. The kernel
 * does not notify when the last process of a user or a session is gone.
 */
export async function pauseBetweenLooks(round: number): Promise<void> {
  await sleep(Math.min(2 ** round, mostMs));
}
