import type { ProcessIdentity } from "./process-identity.ts";

/** How a child is asked to end before it is made to. */
export type StopPlan = {
  readonly signal: "SIGTERM" | "SIGINT";
  /** The whole process group, or only the process that was started. */
  readonly to: "group" | "leader";
  /** How long it has between the signal and SIGKILL. */
  readonly graceMs: number;
  /** Told to hurry, it gets the signal a second time, a first one before if need be, and has so long; else SIGKILL at once. */
  readonly hurryMs?: number;
};

/** What is to be run, and how. */
export type ChildSpec = {
  readonly executionId: string;
  readonly step: number;
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing of the agent's own is added but the marker. */
  readonly env: Readonly<Record<string, string>>;
  /** The agent's run directory, in memory; the child gets a folder of its own in it. */
  readonly runDir: string;
  readonly stop: StopPlan;
  /** The user that it runs as; the agent's own by default. */
  readonly user?: number | undefined;
  /** The cgroup that it enters before it begins; the agent's own by default. */
  readonly cgroup?: string | undefined;
};

/** What another process of the agent needs to take the child over; plain JSON, no secret in it. */
export type ChildManifest = {
  readonly executionId: string;
  readonly step: number;
  /** Where its output and its exit code are; gone after a reboot. */
  readonly dir: string;
  readonly leader: ProcessIdentity;
  /** The shell that waits for the leader and writes its exit code. */
  readonly supervisor: ProcessIdentity;
  /** The shell that carries its output, and leads the group of all that do. */
  readonly carrier: ProcessIdentity;
  readonly bootId: string;
  readonly stop: StopPlan;
  readonly cwd: string;
  readonly startedAtMs: number;
  /** The cgroup that it was put into, if it was. */
  readonly cgroup?: string | undefined;
  /** Processes that the kernel had killed because memory ran out when the child started, if that can be known. */
  readonly oomKills: number | null;
};

/** A piece of what the child printed, in order. */
export type OutputChunk = {
  readonly bytes: Buffer;
  /** How many bytes came before it. */
  readonly offset: number;
  /** When it was printed, as far as the file's clock tells. */
  readonly atMs: number;
};

/** What the child prints, to be iterated once; ends when nothing can be printed any more. */
export type ChildOutput = AsyncIterable<OutputChunk> & {
  /** Says that the bytes before the offset are safe elsewhere; they may be deleted. */
  readonly release: (offset: number) => void;
};

/** How a child ended. `killed` is by us; a child that anybody else killed has exited by a signal. */
export type ChildEnd = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly why: "exited" | "killed" | "out-of-memory" | "disk-full" | "lost";
  /** A sentence for people. */
  readonly words: string;
};

/** A running child, or one that has ended and whose output is still to be read. */
export type Child = {
  readonly manifest: ChildManifest;
  readonly output: ChildOutput;
  /** Never rejects. The output may still be read after it. */
  readonly exited: Promise<ChildEnd>;
  /** As the stop plan says, then SIGKILL; resolves when nothing of the step runs any more. */
  readonly stop: () => Promise<void>;
  /** As the stop plan says of who is to hurry: SIGKILL at once, or after the signal came twice. */
  readonly hasten: () => Promise<void>;
  /** SIGKILL at once. */
  readonly kill: () => Promise<void>;
  /** Looks after it no more; its folder stays for whoever takes it over. */
  readonly leave: () => void;
  /** Takes its folder away; to be called when its end and its output are safe elsewhere. */
  readonly remove: () => Promise<void>;
};
