import { serveWork } from "../../../broker/work-pool/serve-work.ts";
import type { WorkKind } from "../../../broker/work-pool/work-kind.ts";
import { problem } from "../../../shared/problem.ts";

/** Work that goes wrong in each way in which work can. */
const hungryKinds = {
  echo: ({ asked, bytes }) => ({ told: { asked, pid: process.pid }, bytes }),
  /** Ends when the process does. */
  wait: () => new Promise<never>(() => {}),
  spin: () => {
    for (;;);
  },
  smallValues: () => {
    const all: object[] = [];
    for (let at = 0; ; at++) all.push({ at });
  },
  longArray: () => {
    let long = [1.5];
    for (;;) long = long.concat(long);
  },
  buffers: () => {
    const all: Buffer[] = [];
    for (;;) all.push(Buffer.alloc(1024 * 1024, 1));
  },
  /** Keeps what it takes. */
  grow: () => {
    kept.push(Buffer.alloc(64 * 1024 * 1024, 1));
    return { told: { pid: process.pid }, bytes: [] };
  },
  recurse: () => {
    const deeper = (): number => 1 + deeper();
    return { told: { deep: deeper() }, bytes: [] };
  },
  /** Tells more than may be told. */
  tell: () => ({ told: { text: "x".repeat(2 * 1024 * 1024) }, bytes: [] }),
  refuse: () => {
    throw problem.invalid([{ pointer: "#/x", code: "wrong", detail: "This is wrong." }]);
  },
  fail: () => {
    throw new Error("a fault of ours");
  },
  exit: () => process.exit(7),
} as const satisfies Record<string, WorkKind<never, unknown>>;
const kept: Buffer[] = [];

/** The kinds, for the pool of a test. */
export type HungryKinds = typeof hungryKinds;

if (import.meta.main) serveWork(hungryKinds);
