import { type ChildProgram, mostLifeCpuS, startChild, type WorkChild } from "./child-process.ts";
import type { ChildUsage } from "./child-usage.ts";

/** A child, and what it had used when it was last heard of. */
export type KeptChild = { readonly child: WorkChild; used: ChildUsage };

export type ChildrenOptions = {
  readonly program: ChildProgram;
  readonly heapMb: number;
  readonly nice: number;
  /** One that holds more than this after its work is followed by another, as it would not give it back. */
  readonly mostKeptBytes: number;
  readonly idleMs?: number;
};

/** The children of a pool: started when one is needed, kept for a while if they are small. */
export type Children = {
  /** One that does nothing, or another one. */
  readonly take: () => KeptChild;
  /** Keeps it for the next piece of work, if it is worth it. */
  readonly giveBack: (kept: KeptChild) => void;
  readonly all: ReadonlySet<KeptChild>;
  readonly stop: () => Promise<void>;
};

/** How long a child waits for work before it ends, unless told. */
const usualIdleMs = 30_000;

/** Makes a pool's children, of which there are none yet. */
export function makeChildren(options: ChildrenOptions): Children {
  const { program, heapMb, nice, mostKeptBytes, idleMs = usualIdleMs } = options;
  const all = new Set<KeptChild>();
  const idle: KeptChild[] = [];
  const timers = new Map<KeptChild, NodeJS.Timeout>();

  const start = (): KeptChild => {
    const kept = { child: startChild(program, { heapMb, nice }), used: { cpuMs: 0, rssBytes: 0 } };
    all.add(kept);
    void kept.child.gone.then(() => forget(kept));
    return kept;
  };
  const leaveIdle = (kept: KeptChild): void => {
    clearTimeout(timers.get(kept));
    timers.delete(kept);
    const at = idle.indexOf(kept);
    if (at !== -1) idle.splice(at, 1);
  };
  const forget = (kept: KeptChild): void => {
    leaveIdle(kept);
    all.delete(kept);
  };
  const dismiss = (kept: KeptChild): void => {
    forget(kept);
    kept.child.dismiss();
  };
  return {
    all,
    take() {
      const kept = idle.at(-1) ?? start();
      leaveIdle(kept);
      return kept;
    },
    giveBack(kept) {
      if (kept.child.hasEnded()) return forget(kept);
      const { cpuMs, rssBytes } = kept.used;
      if (rssBytes > mostKeptBytes || cpuMs > (mostLifeCpuS * 1000) / 2) return dismiss(kept);
      idle.push(kept);
      timers.set(kept, setTimeout(() => dismiss(kept), idleMs).unref());
    },
    async stop() {
      const left = [...all];
      for (const { child } of left) child.kill();
      await Promise.all(left.map(({ child }) => child.gone));
    },
  };
}
