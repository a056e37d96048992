import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import type { Socket } from "node:net";
import { setPriority } from "node:os";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { type Frame, type FrameReader, frameReader, type SentFrame, writeFrame } from "./frames.ts";
import { childWord } from "./run-child-program.ts";

/** The program of a child: a file of the sources, or its text. */
export type ChildProgram = { readonly file?: URL; readonly text?: string };

/** The most that its heap may be, and how far it stands back for others. */
export type ChildBounds = { readonly heapMb: number; readonly nice: number };

/** What a child died of: more memory or more time than it may use, or anything else. */
export type EndReason = "memory" | "time" | "ended";

/** Why a child ended without an answer; the message is for the log. */
export class ChildEnded extends Error {
  override readonly name = "ChildEnded";
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A child process that does work for this broker, one piece after the other. */
export type WorkChild = {
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /**
   * Has one piece of work done; rejects with a `ChildEnded` when the child ends first, and with what reading a part throws, which
   * ends the child.
   */
  readonly ask: (frame: SentFrame) => Promise<Frame>;
  readonly kill: () => void;
  /** Lets it end by itself; it is asked no more. */
  readonly dismiss: () => void;
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
};

/** The seconds of CPU after which the system ends a child, whose broker may be gone: well behind what a pool allows one. */
export const mostLifeCpuS = 180;

/**
 * Starts a child: with low priority, with a bound on its heap, with nothing of this process's environment; it ends
 * when this process does. One that the system does not let start has ended: so says who asks it.
 */
export function startChild(program: ChildProgram, { heapMb, nice }: ChildBounds): WorkChild {
  const child = spawnChild(program, heapMb);
  const { pid = 0 } = child;
  const asked = { answer: undefined as PromiseWithResolvers<Frame> | undefined };
  const channel = channelOf(child);
  const gone = Promise.withResolvers<void>();
  let said = "";
  let hasEnded = false;
  const end = (why: ChildEnded): void => {
    hasEnded = true;
    asked.answer?.reject(why);
    gone.resolve();
  };
  const kill = (): void => {
    hasEnded = true;
    child.kill("SIGKILL");
  };
  const unread = framesOf(asked, kill);
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4096)));
  child.on("error", (error) => end(notStarted(error)));
  child.on("exit", (code, signal) => end(endOf(said, code, signal)));
  channel?.on("data", unread).on("error", () => {}); // its exit says more
  for (const one of [child, channel, child.stderr as unknown as Socket]) one?.unref(); // a pipe's stream is a socket
  if (pid !== 0 && nice > 0) lowerPriority(pid, nice);
  return {
    pid,
    hasEnded: () => hasEnded,
    gone: gone.promise,
    kill,
    dismiss() {
      hasEnded = true;
      channel?.end();
    },
    async ask(frame) {
      if (hasEnded) throw new ChildEnded("ended", "it had ended before it was asked");
      const answer = (asked.answer = Promise.withResolvers<Frame>());
      if (channel !== undefined) {
        writeFrame(channel, frame).catch((error: unknown) => {
          answer.reject(error);
          kill();
        });
      }
      try {
        return await answer.promise;
      } finally {
        asked.answer = undefined; // a child that waits holds nothing of what it answered
      }
    },
  };
}

/** The pipe to it. Where no more files may be open there is none, and its error comes on the next tick. */
const channelOf = ({ stdio }: ChildProcess): Socket | undefined =>
  (stdio as ChildProcess["stdio"] | undefined)?.[3] as Socket | undefined; // a pipe, as asked for

const notStarted = (error: unknown): ChildEnded =>
  new ChildEnded("ended", `it could not be started: ${(error as Error).message}`); // the system's

/** What it says that is no frame ends it. */
function framesOf(
  asked: { readonly answer: PromiseWithResolvers<Frame> | undefined },
  kill: () => void,
): (chunk: Buffer) => void {
  const reader: FrameReader = frameReader((frame) => asked.answer?.resolve(frame));
  return (chunk) => {
    try {
      reader.take(chunk);
    } catch {
      kill();
    }
  };
}

/**
 * Past them the system ends what is left of a child; a child that dies of memory leaves no core behind; and a system that is short of memory
 * ends a child before it ends the broker.
 */
const bounded = `ulimit -t ${mostLifeCpuS}; ulimit -c 0; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"`;

function spawnChild({ file, text = "" }: ChildProgram, heapMb: number): ChildProcess {
  const heap = [`--max-old-space-size=${heapMb}`, "--max-semi-space-size=8"];
  const program = file === undefined ? ["-"] : [fileURLToPath(file)];
  // A single executable takes Node's options by the environment alone.
  const words = isSea() ? [childWord] : [...heap, ...program];
  const options = isSea() ? { NODE_OPTIONS: heap.join(" ") } : {};
  const cache = file === undefined ? {} : { NODE_COMPILE_CACHE: compiled };
  const child = spawned(["-c", bounded, process.execPath, ...words], {
    cwd: "/",
    env: { ...options, ...cache, ...calmMemory },
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // it ended before it had read its program: its exit says so
  child.stdin?.end(file === undefined ? text : "");
  return child;
}

/** For want of memory it is thrown that it cannot be started, for want of anything else it is an event. */
function spawned(words: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn("/bin/sh", words, options);
  } catch (error) {
    throw notStarted(error);
  }
}

/** Sources start twice as fast with it, as `svc` does. */
const compiled = fileURLToPath(new URL("../../node_modules/.cache/svc", import.meta.url));

/** glibc otherwise keeps what was freed; times of day are the same everywhere. */
const calmMemory = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "2", TZ: "UTC" };

function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // it has ended already, and its exit is told
  }
}

/** Of what it printed nothing is told: it may have the contents that it read. */
function endOf(said: string, code: number | null, signal: string | null): ChildEnded {
  const isOfMemory = /out of memory|allocation failed|bad_alloc/i.test(said);
  if (isOfMemory) return new ChildEnded("memory", "its memory was used up");
  const words = signal === null ? `it exited with ${code}` : `it was ended by ${signal}`;
  return new ChildEnded("ended", words);
}
