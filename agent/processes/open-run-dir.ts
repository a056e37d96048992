import { createHash } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import { access, chmod, mkdir, statfs } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../shared/operator-error.ts";
import type { AgentConfig } from "../config/read-config.ts";

/** The directory in which children's output waits to be read. */
export type RunDir = {
  readonly path: string;
  /** Whether it is in memory; if not, `words` say what that means. */
  readonly isMemory: boolean;
  readonly words?: string;
};

export type RunDirWish = {
  /** The configured directory; nothing else is tried. */
  readonly setting?: string | undefined;
  /** $XDG_RUNTIME_DIR. */
  readonly runtimeDir?: string | undefined;
  readonly dataDir: string;
  /** Whether processes of other users pass through it; they cannot list it. */
  readonly isEntered?: boolean;
};

/**
 * What the settings of an agent want. A directory that other users must pass through cannot be inside the agent user's
 * own.
 */
export function runDirWish({
  runDir: setting,
  env,
  dataDir,
  jobUser,
}: Pick<AgentConfig, "runDir" | "env" | "dataDir" | "jobUser">): RunDirWish {
  const isEntered = jobUser !== undefined;
  const runtimeDir = isEntered ? undefined : env["XDG_RUNTIME_DIR"];
  return { setting, runtimeDir, dataDir, isEntered };
}

/** File system types that are never on disk, as statfs reports them: tmpfs and ramfs. */
const memoryTypes: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6]);
/** Four children whose output is not read fill this. */
const amplyBytes = 64 * 1_048_576;

/**
 * Makes the agent's run directory (mode 0700, in memory if the host has such a place). It is the same after a restart
 * and differs for each data directory. Throws a message when the configured place cannot be used.
 */
export async function openRunDir({
  setting,
  runtimeDir,
  dataDir,
  isEntered = false,
}: RunDirWish): Promise<RunDir> {
  const mode = isEntered ? 0o711 : 0o700;
  const digest = createHash("sha256").update(path.resolve(dataDir)).digest("hex").slice(0, 12);
  const name = `svc-agent-${digest}`;
  if (setting !== undefined) return await take(path.join(path.resolve(setting), name), mode);
  for (const place of [runtimeDir, "/dev/shm", "/run"]) {
    if (place === undefined || !(await isWritableMemory(place))) continue;
    const taken = await take(path.join(place, name), mode).catch(() => undefined);
    if (taken !== undefined) return taken;
  }
  return await take(path.join(dataDir, "run"), mode);
}

async function isWritableMemory(place: string): Promise<boolean> {
  try {
    await access(place, constants.W_OK | constants.X_OK);
    return memoryTypes.has((await statfs(place)).type);
  } catch {
    return false;
  }
}

async function take(folder: string, mode: number): Promise<RunDir> {
  try {
    await mkdir(folder, { recursive: true, mode });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new OperatorError(`Cannot create the run directory ${folder} (${code}).`);
  }
  const { uid } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.()) {
    throw new OperatorError(`The run directory ${folder} belongs to another user.`);
  }
  await chmod(folder, mode);
  const { type, bfree, bsize } = await statfs(folder);
  const isMemory = memoryTypes.has(type);
  if (!isMemory) {
    const words = "the output of jobs is on disk for a moment before secrets are redacted";
    return { path: folder, isMemory, words };
  }
  if (bfree * bsize >= amplyBytes) return { path: folder, isMemory };
  const words = "it has less than 64 MiB, so jobs that print a lot may be slowed down";
  return { path: folder, isMemory, words };
}
