import { rm } from "node:fs/promises";
import { ownFolder, removeJobFolder } from "../job-users/job-files.ts";

/** The files in a child's folder, beside its output's segments `0`, `1`, `2` … */
export const childFiles = {
  /** What was asked for; written before the child is started. */
  asked: "asked.json",
  /** Two lines of /proc/<pid>/stat: the supervisor's and the leader's. */
  born: "born",
  /** The exit code and a newline. */
  code: "code",
  /** What the supervising shell had to say: that its child died of a signal, above all. */
  said: "said",
  /** What `dd` says of its last segment. */
  took: "took",
  /** There when all output is in segments. */
  end: "end",
  /** There when output was lost because the run directory was full. */
  gap: "gap",
  /** `base-3-1024`: segment 3 is the first that is left, and 1024 bytes came before it. */
  base: "base",
  /** Which signal we sent. */
  stopped: "stopped",
} as const;

/** Takes a child's folder away, also while its supervisor or its carrier still writes the last of it there. */
export async function removeChildFolder(dir: string): Promise<void> {
  await removeJobFolder(ownFolder(dir));
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
