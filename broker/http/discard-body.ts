import type { AppContext } from "./app-types.ts";
import { hasBody } from "./read-body.ts";
import { watchStalls } from "./stall-watch.ts";

const idleMs = 5_000;
const mostMs = 30_000;
const mostBytes = 128 * 1024 * 1024;
const stalls = watchStalls(idleMs);

/**
 * Reads what is left of a refused request's body and throws it away, within bounds. Most clients send all before they
 * read: a connection that is closed under them before that is to them no refusal but a broken network.
 */
export async function discardBody(c: AppContext): Promise<void> {
  const { incoming } = c.env ?? {};
  if (incoming === undefined || incoming.complete || incoming.destroyed || !hasBody(c)) return;
  await new Promise<void>((resolve) => {
    const untilMs = performance.now() + mostMs;
    let size = 0;
    const settle = (): void => {
      stalls.remove(watched);
      incoming.off("data", onData).off("end", settle).off("close", settle).off("error", settle);
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      watched.lastAtMs = performance.now();
      size += chunk.length;
      if (size > mostBytes || watched.lastAtMs > untilMs) settle();
    };
    const watched = { lastAtMs: performance.now(), giveUp: settle };
    stalls.add(watched);
    incoming.on("data", onData).on("end", settle).on("close", settle).on("error", settle);
    incoming.resume();
  });
}
