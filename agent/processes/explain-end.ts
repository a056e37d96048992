import { constants } from "node:os";
import type { ChildEnd } from "./child.ts";
import type { Sent } from "./stop-child.ts";

/** What is known of a child that has ended. */
export type EndFacts = {
  /** The exit code as a shell reports it: 128 plus the signal's number after a signal. */
  readonly code: number;
  /** Whether the waiting shell reported a signal; it reports nothing about an exit. */
  readonly hasSaidSignal: boolean;
  /** All signals that the agent sent, in order. */
  readonly sent: readonly Sent[];
  readonly graceMs: number;
  /** How many processes the kernel killed meanwhile because memory ran out. */
  readonly oomKills: number;
  /** The limits of the job's cgroup that were reached. */
  readonly bounds: { readonly memory: boolean; readonly pids: boolean };
  /** Free space of its working directory's file system; not read after a success. */
  readonly freeBytes: number | undefined;
  /** Whether a part of its output was lost. */
  readonly hasGap: boolean;
};

/** With less free space than this, hardly any program can work. */
const emptyDiskBytes = 1_048_576;

/** Explains the end of a child, as one word for programs and a clause for people: "exited with code 3". */
export function explainEnd(facts: EndFacts): ChildEnd {
  const signal = signalOf(facts);
  const code = signal === null ? facts.code : null;
  const how = signal === null ? `exited with code ${facts.code}` : `was ended by ${signal}`;
  const gap = facts.hasGap ? "; part of its output was lost: the run directory was full" : "";
  const end = (why: ChildEnd["why"], words: string) => ({ code, signal, why, words: words + gap });
  if (facts.sent.length > 0) return end("killed", wordsOfStop(facts, signal));
  const wasKilled = signal === "SIGKILL" || facts.code === 137;
  if (wasKilled && facts.oomKills > 0) {
    return end(
      "out-of-memory",
      `${how}: the kernel killed it because memory ran out${boundOf(facts)}`,
    );
  }
  if (facts.code !== 0 && facts.freeBytes !== undefined && facts.freeBytes < emptyDiskBytes) {
    return end("disk-full", `${how}: the disk of its working directory is full`);
  }
  return end("exited", `${how}${hintOf(facts, signal)}`);
}

/** The end as a shell's exit code: 128 plus the signal's number for a child that died of one. */
export function shellCode({ code, signal }: Pick<ChildEnd, "code" | "signal">): number | null {
  if (code !== null || signal === null) return code;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? null : 128 + number;
}

function signalOf({ code, hasSaidSignal }: EndFacts): string | null {
  const isTold = hasSaidSignal || isSilentSignal(code);
  return isTold ? (nameOf(code - 128) ?? null) : null;
}

/** Shells do not report these two signals; exit codes 130 and 141 are taken for them. */
function isSilentSignal(code: number): boolean {
  return code === 128 + constants.signals.SIGINT || code === 128 + constants.signals.SIGPIPE;
}

function nameOf(signal: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
}

function wordsOfStop({ code, sent, graceMs }: EndFacts, signal: string | null): string {
  const [asked] = sent;
  const killed = sent.find((one) => one.signal === "SIGKILL");
  if (asked === undefined || asked === killed) return "was killed by SIGKILL";
  if (killed !== undefined) {
    const afterMs = killed.atMs - asked.atMs;
    return afterMs < graceMs
      ? `was killed ${seconds(afterMs)} after ${asked.signal}`
      : `did not end within ${seconds(graceMs)} of ${asked.signal} and was killed`;
  }
  return signal === null
    ? `was stopped by ${asked.signal} and exited with code ${code}`
    : `was stopped by ${signal}`;
}

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 100)) / 10} s`;

const boundOf = ({ bounds }: EndFacts): string =>
  bounds.memory ? ": the job reached job-memory-max" : "";

function hintOf(facts: EndFacts, signal: string | null): string {
  const { code, oomKills, bounds } = facts;
  if (signal === "SIGKILL") return ", which the agent did not send";
  if (signal === "SIGPIPE") return ": it wrote to a closed pipe";
  if (oomKills > 0 && code !== 0) {
    const whose = bounds.memory ? "this job" : "this agent";
    return `; meanwhile the kernel killed processes of ${whose} because memory ran out${boundOf(facts)}`;
  }
  if (bounds.pids && code !== 0) {
    return "; meanwhile the job reached job-pids-max and could not start another process";
  }
  // A shell exits with this code when its last command died of a signal, and not every shell reports a signal.
  if (signal === null && nameOf(code - 128) !== undefined)
    return `, as after ${nameOf(code - 128)}`;
  if (code === 126) return ": it, or a program that it called, is not executable";
  if (code === 127) return ": it, its interpreter or a program that it called was not found";
  return "";
}
