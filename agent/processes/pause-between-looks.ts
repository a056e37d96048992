import { setTimeout as sleep } from "node:timers/promises";

const mostMs = 200;

/**
 * Waits before the next look at what the kernel takes down: 1 ms after the first look, twice as long after each, 200 ms at
 * most. Nobody tells when the last process of a user, or of a mark, has gone.
 */
export async function pauseBetweenLooks(round: number): Promise<void> {
  await sleep(Math.min(2 ** round, mostMs));
}
