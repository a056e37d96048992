import path from "node:path";
import { formatDuration } from "../../shared/duration.ts";
import { onceAborted, pause, untilAborted } from "../client/pause.ts";
import type { LineRenderer } from "../logs/line-renderer.ts";
import { folderGone } from "../processes/await-end.ts";
import { removeChildFolder } from "../processes/child-files.ts";
import type { Child, ChildEnd } from "../processes/child.ts";
import { shellCode } from "../processes/explain-end.ts";
import { findChild } from "../processes/find-child.ts";
import { adoptChild } from "../processes/hold-child.ts";
import { bootId } from "../processes/process-identity.ts";
import { sweepMarked } from "../processes/sweep-marked.ts";
import { beginChild, type ChildContext, makeReady } from "./begin-child.ts";
import type { JobCommand } from "./handler.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";
import type { CommandEnd, StoredChild } from "./stored-execution.ts";

/**
 * Runs a command to its end and copies its output to the job's log. A command that an earlier process of the agent
 * started is adopted; one that has ended is not run again. Throws JobFailure when it cannot be started.
 */
export async function runChild(context: ChildContext, command: JobCommand): Promise<CommandEnd> {
  const known = context.record.state.children[command.key];
  if (known?.end !== undefined)
    return await catchUp(context, command, { ...known, end: known.end });
  const told = command.isCleanup === true ? context.cleanupSignal() : context.stop.signal;
  const signal = AbortSignal.any([told, command.endEarly ?? told]);
  const isStopped = (): boolean => signal.aborted || context.stop.killSignal.aborted;
  const taken = known === undefined ? "unborn" : await takeUp(context, known);
  if (taken === "lost") return await ended(context, command, lostWith(known));
  if (taken === "unborn") await context.mayBegin();
  if (taken === "unborn" && isStopped()) return { ...notStarted };
  const child = taken === "unborn" ? await beginChild(context, command, isStopped) : taken;
  if (child === undefined) return { ...notStarted };
  if (child === "lost") return await ended(context, command, goneBeforeSeen(context, command));
  if (command.next !== undefined && !isStopped()) makeReady(context, command.next);
  return await ended(context, command, await follow(context, { command, child, signal }));
}

/** The command has ended; output that was not stored yet is read once more. */
async function catchUp(
  context: ChildContext,
  command: JobCommand,
  { number, end }: StoredChild & { end: CommandEnd },
): Promise<CommandEnd> {
  const isHere = context.ended.some(({ manifest }) => manifest.step === number);
  const manifest = isHere
    ? undefined
    : findChild(context.runDir, context.record.state.execution_id, number);
  const child = manifest && adoptChild(manifest, { from: 0 });
  if (child === undefined) return end;
  context.ended.push(child);
  const { piped, kept } = readChild(context.log, command, { child, signal: context.stop.signal });
  await piped;
  return { ...end, ...kept() };
}

const notStarted: CommandEnd = {
  code: null,
  why: "stopped",
  words: "was not started: the job had been stopped",
  tookMs: 0,
};

/** Adopts a child that was started. Of one that was not started, nothing may be left that could still start. */
async function takeUp(
  context: ChildContext,
  { number, bootId: bornIn }: StoredChild,
): Promise<Child | "unborn" | "lost"> {
  const { execution_id } = context.record.state;
  if (bornIn !== bootId()) return "lost";
  for (let look = 0; look < 10; look++) {
    const manifest = findChild(context.runDir, execution_id, number);
    if (manifest !== undefined) return adoptChild(manifest, { from: 0 }) ?? "lost";
    await pause(20); // its supervisor may be about to record it
  }
  // In this order: without its folder it can no longer start.
  await removeChildFolder(path.join(context.runDir, `${execution_id}.${number}`));
  await sweepMarked(execution_id, number);
  return "unborn";
}

function lostWith(known: StoredChild | undefined): CommandEnd {
  const isOtherBoot = known?.bootId !== bootId();
  const why = isOtherBoot ? "the host was rebooted" : "its files are gone";
  const words = `was lost with the agent that ran it (${why}); its outcome is unknown`;
  return { code: null, why: "lost", words, tookMs: Date.now() - (known?.startedAtMs ?? 0) };
}

function goneBeforeSeen({ record }: ChildContext, { key }: JobCommand): CommandEnd {
  const tookMs = Date.now() - (record.state.children[key]?.startedAtMs ?? Date.now());
  return { code: null, why: "lost", words: folderGone.words, tookMs };
}

type Following = {
  readonly command: JobCommand;
  readonly child: Child;
  readonly signal: AbortSignal;
};

async function follow(context: ChildContext, following: Following): Promise<CommandEnd> {
  const { command, child, signal } = following;
  const { killSignal } = context.stop;
  let cut: "timed-out" | "stopped" | undefined;
  const asked = {
    stop: () => begun("stopped", child.stop),
    hasten: () => begun("stopped", child.hasten),
  };
  const cutting = new AbortController();
  const begun = (why: NonNullable<typeof cut>, end: () => Promise<void>): void => {
    cut ??= why;
    cutting.abort(); // the rest of its output does not wait for a slow broker
    end().catch(() => {}); // its end is reported by `exited`
  };
  onceAborted(killSignal, asked.hasten); // first, because a killed child gets no SIGTERM before
  onceAborted(signal, asked.stop);
  const { timeoutMs, spentMs = 0 } = command;
  const leftMs = child.manifest.startedAtMs - spentMs + (timeoutMs ?? 0) - Date.now();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => begun("timed-out", child.stop),
          Math.min(Math.max(leftMs, 0), 2 ** 31 - 1),
        );
  try {
    const { piped, kept } = readChild(context.log, command, { child, signal: cutting.signal });
    const end = await child.exited;
    clearTimeout(timer);
    // Another process may have stopped it before. While there was no plan, only its timeout can have done that.
    if (end.why === "killed" && timeoutMs !== undefined && leftMs <= 0) cut ??= "timed-out";
    const tookMs = Date.now() - child.manifest.startedAtMs;
    await Promise.race([piped, afterAbort(killSignal, lastWordsMs)]);
    context.ended.push(child);
    return { code: shellCode(end), ...told(end, cut, timeoutMs), tookMs, ...kept() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", asked.stop);
    killSignal.removeEventListener("abort", asked.hasten);
  }
}

/** A child that we stopped is reported as stopped, whatever it made of the signal. */
function told(
  end: ChildEnd,
  cut: "timed-out" | "stopped" | undefined,
  timeoutMs = 0,
): Pick<CommandEnd, "why" | "words"> {
  if (cut === undefined || end.why === "lost") return { why: end.why, words: end.words };
  if (cut === "stopped") {
    const isSaid = /^was (?:stopped|killed)/.test(end.words);
    return { why: "stopped", words: isSaid ? end.words : `was stopped: it ${end.words}` };
  }
  const after = formatDuration(timeoutMs * 1e6);
  return { why: "timed-out", words: `timed out after ${after}: it ${end.words}` };
}

const lastWordsMs = 2_000;

async function afterAbort(signal: AbortSignal, ms: number): Promise<void> {
  await untilAborted(signal);
  await pause(ms);
}

async function ended(
  { record, redactor }: ChildContext,
  { key }: JobCommand,
  end: CommandEnd,
): Promise<CommandEnd> {
  const shown = { ...end, words: redactor.redactText(end.words) };
  const child = record.state.children[key];
  if (child !== undefined) child.end = shown;
  await record.save();
  return shown;
}

type Reading = { readonly child: Child; readonly signal: AbortSignal };

/** Copies a child's output to the log; `kept` is what its renderer knows afterwards. */
function readChild(
  log: LazyJobLog,
  { key, step, render }: JobCommand,
  { child, signal }: Reading,
): { readonly piped: Promise<void>; readonly kept: () => { readonly kept?: string } } {
  let renderer: LineRenderer | undefined;
  const make = render && ((kept: string | undefined) => (renderer = render(kept)));
  return {
    piped: log.pipe({ step, run: key, render: make }, child.output, signal),
    kept: () => (renderer === undefined ? {} : { kept: renderer.kept() }),
  };
}
