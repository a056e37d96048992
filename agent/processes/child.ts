import type { ProcessIdentity } from "./process-identity.ts";

/** How a child is stopped before it is killed. */
export type StopPlan = {
  readonly signal: "SIGTERM" | "SIGINT";
  /** The whole process group, or only the process that was started. */
  readonly to: "group" | "leader";
  /** How long it has between the signal and SIGKILL. */
  readonly graceMs: number;
  /**
   * When the job's kill signal aborts, the child gets the signal a second time (and a first one before, if it had
   * none), then has this long. Without it, SIGKILL at once.
   */
  readonly hurryMs?: number;
};

/** What is to be run, and how. */
export type ChildSpec = {
  readonly executionId: string;
  readonly step: number;
  /** The program and its arguments, without a shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; only the marker is added. */
  readonly env: Readonly<Record<string, string>>;
  /** The agent's run directory, in memory; the child gets a folder of its own in it. */
  readonly runDir: string;
  readonly stop: StopPlan;
  /** The user that it runs as; the agent's own by default. */
  readonly user?: number | undefined;
  /** The cgroup that it enters before it begins; the agent's own by default. */
  readonly cgroup?: string | undefined;
};

/** What another process of the agent needs to adopt the child; plain JSON without secrets. */
export type ChildManifest = {
  readonly executionId: string;
  readonly step: number;
  /** Where its output and its exit code are; gone after a reboot. */
  readonly dir: string;
  readonly leader: ProcessIdentity;
  /** The shell that waits for the leader and writes its exit code. */
  readonly supervisor: ProcessIdentity;
  /** The shell that copies its output to segments, and leads the process group of all its helpers. */
  readonly carrier: ProcessIdentity;
  readonly bootId: string;
  readonly stop: StopPlan;
  readonly cwd: string;
  readonly startedAtMs: number;
  /** The cgroup that it runs in, if any. */
  readonly cgroup?: string | undefined;
  /** The kernel's count of out-of-memory kills when the child started, if it is known. */
  readonly oomKills: number | null;
};

/** A piece of what the child printed, in order. */
export type OutputChunk = {
  readonly bytes: Buffer;
  /** Its offset in the output, in bytes. */
  readonly offset: number;
  /** When it was printed, by the file's modification time. */
  readonly atMs: number;
};

/** The output of the child, to be iterated once; it ends when nothing more can be printed. */
export type ChildOutput = AsyncIterable<OutputChunk> & {
  /** Reports that the bytes before the offset are stored elsewhere and may be deleted. */
  readonly release: (offset: number) => void;
};

/** How a child ended. `killed` means by the agent; a child killed by others has exited by a signal. */
export type ChildEnd = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly why: "exited" | "killed" | "out-of-memory" | "disk-full" | "lost";
  /** A sentence for people. */
  readonly words: string;
};

/** A running child, or an ended one whose output is not read yet. */
export type Child = {
  readonly manifest: ChildManifest;
  readonly output: ChildOutput;
  /** Never rejects. The output may still be read after it. */
  readonly exited: Promise<ChildEnd>;
  /** Stops it by its stop plan, then SIGKILL; resolves when nothing of the step runs any more. */
  readonly stop: () => Promise<void>;
  /** Ends it quickly: SIGKILL at once, or after a second signal if its stop plan has `hurryMs`. */
  readonly hasten: () => Promise<void>;
  /** SIGKILL at once. */
  readonly kill: () => Promise<void>;
  /** Stops supervising it; its folder stays for the process that adopts it. */
  readonly leave: () => void;
  /** Removes its folder; call it when its end and its output are stored. */
  readonly remove: () => Promise<void>;
};
