import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setPriority } from "node:os";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { type Frame, frameReader, writeFrame } from "./frames.ts";
import { childWord } from "./run-child-program.ts";

/** The program of a child: a file of the sources, or its text. */
export type ChildProgram = { readonly file?: URL; readonly text?: string };

/** The most that its heap may be, and how far it stands back for others. */
export type ChildBounds = { readonly heapMb: number; readonly nice: number };

/** Why a child ended without an answer, in words for the log. */
export class ChildEnded extends Error {
  override readonly name = "ChildEnded";
}

/** A child process that does work for this broker, one piece after the other. */
export type WorkChild = {
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /** Has one piece of work done; rejects with a `ChildEnded` when the child ends first. */
  readonly ask: (frame: Frame) => Promise<Frame>;
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
 * when this process does.
 */
export function startChild(program: ChildProgram, { heapMb, nice }: ChildBounds): WorkChild {
  const child = spawnChild(program, heapMb);
  const { pid = 0 } = child;
  const asked = { answer: undefined as PromiseWithResolvers<Frame> | undefined };
  const channel = child.stdio[3] as Socket; // a pipe, as asked for
  const gone = Promise.withResolvers<void>();
  let said = "";
  let hasEnded = false;
  const end = (words: string): void => {
    hasEnded = true;
    asked.answer?.reject(new ChildEnded(words));
    gone.resolve();
  };
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4096)));
  child.on("error", (error) => end(`it could not be started: ${error.message}`));
  child.on("exit", (code, signal) => end(wordsOf(said, code, signal)));
  channel.on(
    "data",
    framesOf(asked, () => child.kill("SIGKILL")),
  );
  channel.on("error", () => {}); // its exit says more
  for (const one of [child, channel, child.stderr as unknown as Socket]) one.unref(); // a pipe's stream is a socket
  if (pid !== 0 && nice > 0) lowerPriority(pid, nice);
  return {
    pid,
    hasEnded: () => hasEnded,
    gone: gone.promise,
    kill() {
      hasEnded = true;
      child.kill("SIGKILL");
    },
    dismiss() {
      hasEnded = true;
      channel.end();
    },
    async ask(frame) {
      if (hasEnded) throw new ChildEnded("it had ended before it was asked");
      asked.answer = Promise.withResolvers<Frame>();
      writeFrame(channel, frame);
      return await asked.answer.promise;
    },
  };
}

/** What it says that is no frame ends it. */
function framesOf(
  asked: { readonly answer: PromiseWithResolvers<Frame> | undefined },
  kill: () => void,
): (chunk: Buffer) => void {
  const read = frameReader((frame) => asked.answer?.resolve(frame));
  return (chunk) => {
    try {
      read(chunk);
    } catch {
      kill();
    }
  };
}

/** Past them the system ends what is left of a child; and a child that dies of memory leaves no core behind. */
const bounded = `ulimit -t ${mostLifeCpuS}; ulimit -c 0; exec "$0" "$@"`;

function spawnChild({ file, text = "" }: ChildProgram, heapMb: number): ChildProcess {
  const heap = [`--max-old-space-size=${heapMb}`, "--max-semi-space-size=8"];
  const program = file === undefined ? ["-"] : [fileURLToPath(file)];
  // A single executable takes Node's options by the environment alone.
  const words = isSea() ? [childWord] : [...heap, ...program];
  const options = isSea() ? { NODE_OPTIONS: heap.join(" ") } : {};
  const cache = file === undefined ? {} : { NODE_COMPILE_CACHE: compiled };
  const child = spawn("/bin/sh", ["-c", bounded, process.execPath, ...words], {
    cwd: "/",
    env: { ...options, ...cache, ...calmMemory },
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // it ended before it had read its program: its exit says so
  child.stdin?.end(file === undefined ? text : "");
  return child;
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
function wordsOf(said: string, code: number | null, signal: string | null): string {
  if (/heap out of memory|allocation failed/i.test(said)) return "its memory was used up";
  return signal === null ? `it exited with ${code}` : `it was ended by ${signal}`;
}
