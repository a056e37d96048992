import { type ChildProcess, spawn } from "node:child_process";
import type { OpaBounds } from "./opa-bounds.ts";
import { PolicyUnavailable } from "./policy-unavailable.ts";

export type OpaRun = {
  readonly program: string;
  readonly args: readonly string[];
  /** Its folder, in which nothing is but what it reads. */
  readonly folder: string;
  /** What it reads from its standard input. */
  readonly input: string;
  readonly bounds: OpaBounds;
  /** When it is to have ended, by `performance.now()`. */
  readonly endMs: number;
  /** Ends it: what it would have told is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
};
export type OpaEnd = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

/**
 * Runs OPA once, without an environment, within the bounds of opa-bounds.ts. Throws PolicyUnavailable when it passes one of
 * them or cannot be started, and the signal's reason when it is aborted.
 */
export async function runOpa(run: OpaRun): Promise<OpaEnd> {
  const { input, endMs, signal, bounds } = run;
  signal?.throwIfAborted();
  const child = started(run);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {}); // it may come when nobody waits any more
  const giveUp = (why: Error): void => {
    over.reject(why);
    child.kill("SIGKILL");
  };
  const leave = (): void => giveUp(signal?.reason as Error); // who aborts says why
  const late = (): void => giveUp(new PolicyUnavailable(`It took more than ${bounds.seconds} s.`));
  const timer = setTimeout(late, Math.max(0, endMs - performance.now()));
  signal?.addEventListener("abort", leave, { once: true });
  const printed = printedBy(child, bounds.printedBytes, () =>
    giveUp(new PolicyUnavailable(`It printed more than ${bounds.printedBytes / 2 ** 20} MiB.`)),
  );
  child.stdin?.on("error", () => {}); // it ended before it had read all: its exit says more
  child.stdin?.end(input);
  try {
    const code = await Promise.race([endOf(child), over.promise]);
    const end = { code, out: printed.out(), err: printed.err() };
    if (outOfMemory.test(end.err))
      throw new PolicyUnavailable(`It needed more than ${bounds.memoryMib} MiB of memory.`);
    if (code === null) throw new PolicyUnavailable("OPA was ended by the system.");
    return end;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** What Go says of itself where it gets no memory: of the kinds of its ends no other is seen here. */
const outOfMemory = /^(?:fatal error: |runtime: |SIGSEGV: )/m;

/**
 * The system holds it to its memory (private and writable, which is what Go takes), lets it write no file, leaves no core of it
 * behind, and ends it by its CPU clock where nobody is left who would. Go collects before that bound is reached.
 */
const bounded = ({ memoryMib, seconds }: OpaBounds): string =>
  `ulimit -d ${memoryMib * 1024}; ulimit -t ${3 * seconds}; ulimit -c 0; ulimit -f 0; exec "$0" "$@"`;
const calm = ({ memoryMib }: OpaBounds) => ({
  GOMEMLIMIT: `${Math.floor(memoryMib * 0.75)}MiB`,
  GOMAXPROCS: "2",
});

function started({ program, args, folder, bounds }: OpaRun): ChildProcess {
  try {
    return spawn("/bin/sh", ["-c", bounded(bounds), program, ...args], {
      cwd: folder,
      env: calm(bounds),
      stdio: "pipe",
    });
  } catch (error) {
    throw notStarted(error);
  }
}

const notStarted = (error: unknown): PolicyUnavailable =>
  new PolicyUnavailable(`OPA could not be started: ${(error as Error).message}.`); // the system's

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(notStarted(error)));
    child.on("close", resolve);
  });
}

function printedBy({ stdout, stderr }: ChildProcess, most: number, onTooMuch: () => void) {
  let bytes = 0;
  const chunksOf = (stream: ChildProcess["stdout"]): Buffer[] => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) onTooMuch();
      else chunks.push(chunk);
    });
    return chunks;
  };
  const [out, err] = [chunksOf(stdout), chunksOf(stderr)];
  return { out: () => textOf(out), err: () => textOf(err) };
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString("utf8");
