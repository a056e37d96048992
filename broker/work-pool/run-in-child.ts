import { ChildEnded } from "./child-process.ts";
import { readChildUsage } from "./child-usage.ts";
import type { KeptChild } from "./children.ts";
import type { Frame, SentFrame } from "./frames.ts";

/** How much one piece of work may use: CPU, time in all, and memory of its process. */
export type WorkBounds = {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rssBytes: number;
};

const lookEveryMs = 100;

/**
 * Has one piece of work done. A child that uses more than it may is killed: `ChildEnded`, as of one that ends by
 * itself. So is one whose work is no longer wanted: the signal's reason.
 */
export async function runInChild(
  { child, used }: KeptChild,
  frame: SentFrame,
  bounds: WorkBounds,
  signal: AbortSignal,
): Promise<Frame> {
  const over = Promise.withResolvers<never>();
  let isDone = false;
  const giveUp = (why: Error): void => {
    if (isDone) return; // a look that began before: the child may have other work by now
    over.reject(why);
    child.kill();
  };
  const leave = (): void => giveUp(signal.reason as Error); // a Problem of the pool
  const look = async (): Promise<void> => {
    const now = await readChildUsage(child.pid);
    if (now === undefined) return;
    const cpuMs = now.cpuMs - used.cpuMs;
    if (cpuMs > bounds.cpuMs) giveUp(new ChildEnded("time", `it used ${cpuMs} ms of CPU`));
    if (now.rssBytes > bounds.rssBytes)
      giveUp(new ChildEnded("memory", `it had ${now.rssBytes} bytes in memory`));
  };
  const looking = setInterval(() => void look(), lookEveryMs).unref();
  const late = (): void => giveUp(new ChildEnded("time", `it took more than ${bounds.wallMs} ms`));
  const timer = setTimeout(late, bounds.wallMs).unref();
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([child.ask(frame), over.promise]);
  } finally {
    isDone = true;
    clearInterval(looking);
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}
