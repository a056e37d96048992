import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childFiles } from "./child-files.ts";
import type { ChildEnd, ChildManifest } from "./child.ts";
import { readText } from "./find-child.ts";
import { signalGroup, signalProcess } from "./process-identity.ts";
import { findMarked, sweepMarked } from "./sweep-marked.ts";

/** A signal, and when it was sent. */
export type Sent = { readonly signal: string; readonly atMs: number };

/** Stops a child, and knows the signals that were sent. */
export type Stopper = {
  readonly stop: () => Promise<void>;
  readonly hasten: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** All signals sent, also by earlier processes of the agent. */
  readonly sent: () => readonly Sent[];
  /** Whether it survived SIGKILL for so long that nobody should wait for it. */
  readonly isHopeless: () => boolean;
};

const hopelessAfterMs = 30_000;
/** A busy process sees two signals in quicker succession as one. */
const apartMs = 1_000;

/**
 * Stops a child by its stop plan. Sent signals are recorded in its folder, so that no process of the agent repeats the
 * first one.
 */
export function makeStopper(manifest: ChildManifest, exited: () => Promise<ChildEnd>): Stopper {
  const { dir, stop: plan } = manifest;
  const note = path.join(dir, childFiles.stopped);
  let isHopeless = false;
  let stopping: Promise<void> | undefined;
  let hastening: Promise<void> | undefined;
  let killing: Promise<void> | undefined;
  let isOver = false;
  const { sent, record } = openSent(note);
  void Promise.resolve()
    .then(exited)
    .then(() => (isOver = true));

  const askNow = async () => {
    if (isOver) return;
    record(plan.signal);
    await ask(manifest).catch(() => {}); // if the signal fails, the child is killed
  };

  const kill = async () => {
    if (!isOver) record("SIGKILL");
    const { executionId, step, leader } = manifest;
    const giveUpAtMs = performance.now() + hopelessAfterMs;
    let left: number;
    do {
      // Without file descriptors to look with, there may be some in a second.
      const swept = await sweepMarked(executionId, step, [leader]).catch(() => undefined);
      left = swept?.left ?? 0;
    } while ((!(await isWithin(exited(), 1_000)) || left > 0) && performance.now() < giveUpAtMs);
    isHopeless = !isOver;
  };

  const stop = async () => {
    const [asked] = sent;
    if (asked === undefined) await askNow();
    const leftMs = asked === undefined ? plan.graceMs : plan.graceMs - (Date.now() - asked.atMs);
    if (await isGone(manifest, exited(), Math.max(leftMs, 0)).catch(() => false)) return;
    await (killing ??= kill());
  };

  const hasten = async () => {
    const { hurryMs } = plan;
    if (hurryMs !== undefined && killing === undefined) {
      const giveUpAtMs = performance.now() + hurryMs;
      await askTwice(sent, askNow, exited());
      const leftMs = Math.max(giveUpAtMs - performance.now(), 0);
      if (await isGone(manifest, exited(), leftMs).catch(() => false)) return;
    }
    await (killing ??= kill());
  };

  return {
    stop: async () => await (stopping ??= stop()),
    hasten: async () => await (hastening ??= hasten()),
    kill: async () => await (killing ??= kill()),
    sent: () => sent,
    isHopeless: () => isHopeless,
  };
}

/** A child that got no signal yet takes the first one for a stop, and only the second for haste. */
async function askTwice(
  sent: readonly Sent[],
  askNow: () => Promise<void>,
  exited: Promise<unknown>,
): Promise<void> {
  if (sent.length === 0) await askNow();
  const sinceMs = Date.now() - (sent.at(-1)?.atMs ?? 0);
  if (!(await isWithin(exited, Math.max(apartMs - sinceMs, 0)))) await askNow();
}

/** Sends the signal of the stop plan to the leader or to the group; processes that left the group get it, too. */
async function ask({ leader, stop, executionId, step }: ChildManifest): Promise<void> {
  if (stop.to === "leader") {
    signalProcess(leader, stop.signal);
    return;
  }
  const isGroupAsked = signalGroup(leader, stop.signal);
  for (const own of await findMarked(executionId, step, [leader])) {
    if (!isGroupAsked || own.group !== leader.pid) signalProcess(own, stop.signal);
  }
  // A stopped process cannot handle a signal, so it is continued.
  signalGroup(leader, "SIGCONT");
}

/** Whether it and all its processes ended within the time. */
async function isGone(
  { executionId, step, leader }: ChildManifest,
  exited: Promise<ChildEnd>,
  withinMs: number,
): Promise<boolean> {
  const giveUpAtMs = performance.now() + withinMs;
  if (!(await isWithin(exited, withinMs))) return false;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    if ((await findMarked(executionId, step, [leader])).length === 0) return true;
    if (performance.now() + pauseMs > giveUpAtMs) return false;
    await sleep(pauseMs);
  }
}

async function isWithin(event: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const tooLate = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
  const isInTime = await Promise.race([event.then(() => true), tooLate]);
  waiting.abort();
  return isInTime;
}

/** All signals sent by any process of the agent; new ones are stored as they are sent. */
function openSent(note: string): { sent: Sent[]; record: (signal: string) => void } {
  const lines = readText(note).split("\n").slice(0, -1);
  const sent: Sent[] = lines.map((line) => {
    const [signal = "", at] = line.split(" ");
    return { signal, atMs: Number(at) };
  });
  const record = (signal: string): void => {
    const atMs = Date.now();
    sent.push({ signal, atMs });
    try {
      writeFileSync(note, `${signal} ${atMs}\n`, { flag: "a", mode: 0o600 });
    } catch {
      // Its folder is gone, so its end is unknown, too.
    }
  };
  return { sent, record };
}
