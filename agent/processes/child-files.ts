import { rm } from "node:fs/promises";
import { ownFolder, removeJobFolder } from "../job-users/job-files.ts";

/** The files in a child's folder, beside its output's segments `0`, `1`, `2` … */
export const childFiles = {
  /** The child's spec; written before it is started. */
  asked: "asked.json",
  /** Two lines of /proc/<pid>/stat: the supervisor's and the leader's. */
  born: "born",
  /** The exit code and a newline. */
  code: "code",
  /** Messages of the supervising shell, above all that its child died of a signal. */
  said: "said",
  /** The statistics of `dd` about its last segment. */
  took: "took",
  /** Exists when all output is in segments. */
  end: "end",
  /** Exists when output was lost because the run directory was full. */
  gap: "gap",
  /** `base-3-1024`: segment 3 is the first one left, and 1024 bytes came before it. */
  base: "base",
  /** The signals that the agent sent. */
  stopped: "stopped",
} as const;

/** Removes a child's folder, even while its supervisor or carrier still writes there. */
export async function removeChildFolder(dir: string): Promise<void> {
  await removeJobFolder(ownFolder(dir));
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
