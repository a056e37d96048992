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

/** What ends a child, and what it did so far. */
export type Stopper = {
  readonly stop: () => Promise<void>;
  readonly hasten: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Every signal that was sent, by us or by the agent's process before us. */
  readonly sent: () => readonly Sent[];
  /** Whether it outlived SIGKILL for so long that nobody should wait. */
  readonly isHopeless: () => boolean;
};

const hopelessAfterMs = 30_000;
/** Of two signals that come closer upon each other, a busy process sees one. */
const apartMs = 1_000;

/** Ends a child as its stop plan says. What was sent is kept in its folder: nobody is asked twice, whoever asks. */
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
    await ask(manifest).catch(() => {}); // who was not asked is killed
  };

  const kill = async () => {
    if (!isOver) record("SIGKILL");
    const { executionId, step, leader } = manifest;
    const giveUpAtMs = performance.now() + hopelessAfterMs;
    let left: number;
    do {
      // Where there is nothing to look with, there may be in a second.
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

/** Whom nobody has asked takes the first signal for the question, and only the second for haste. */
async function askTwice(
  sent: readonly Sent[],
  askNow: () => Promise<void>,
  exited: Promise<unknown>,
): Promise<void> {
  if (sent.length === 0) await askNow();
  const sinceMs = Date.now() - (sent.at(-1)?.atMs ?? 0);
  if (!(await isWithin(exited, Math.max(apartMs - sinceMs, 0)))) await askNow();
}

/** The signal of the plan, to its leader or to all; whoever left the group is asked on its own. */
async function ask({ leader, stop, executionId, step }: ChildManifest): Promise<void> {
  if (stop.to === "leader") {
    signalProcess(leader, stop.signal);
    return;
  }
  const isGroupAsked = signalGroup(leader, stop.signal);
  for (const own of await findMarked(executionId, step, [leader])) {
    if (!isGroupAsked || own.group !== leader.pid) signalProcess(own, stop.signal);
  }
  // What stands still cannot heed a signal.
  signalGroup(leader, "SIGCONT");
}

/** Whether it has ended, and all that is its own, within the time. */
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

/** What was sent, by whom of us ever; more of it is stored as it is sent. */
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
      // Its folder has gone: then its end is not known either.
    }
  };
  return { sent, record };
}
