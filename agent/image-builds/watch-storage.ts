import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { textIn } from "./text-in.ts";

/** What a build may take of the disk. */
export type StorageBound = {
  readonly folder: string;
  readonly mostBytes: number;
  /** What the disk keeps free: files that have no name any more are not seen in the folder. */
  readonly leastFree: number;
  /** What a command begins with that sees all of it. */
  readonly enter: readonly string[];
  readonly path: string;
};

export type StorageWatch = {
  /** Whether it had more than it may have. */
  readonly isOver: () => boolean;
  /** Looks once more. */
  readonly look: () => Promise<void>;
  readonly stop: () => void;
};

const run = promisify(execFile);
/** How often the whole disk is asked, and how often at least the folder itself. */
const [glanceMs, lookEvery] = [250, 20];
/** A file takes more of the disk than its bytes. */
const bytesOfFile = 8 * 2 ** 10;

/** Looks at what a folder takes, by its size and the number of its files; calls `over` once it is too much. */
export function watchStorage(bound: StorageBound, over: () => void): StorageWatch {
  let isOver = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let before: number | undefined;
  let glances = 0;
  const tell = (): void => {
    isOver = true;
    over();
  };
  const look = async (): Promise<void> => {
    if ((await sizeOf(bound)) > bound.mostBytes) tell();
  };
  const glance = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(bound.folder);
    const free = bavail * bsize;
    before ??= free;
    glances += 1;
    if (free < bound.leastFree) return tell();
    // Others may fill or free the disk as well: what counts is the folder.
    if (before - free <= bound.mostBytes / 2 && glances % lookEvery !== 0) return;
    await look();
  };
  const next = (): void => {
    if (isStopped || isOver) return;
    timer = setTimeout(
      () =>
        void glance()
          .catch(() => {})
          .finally(next),
      glanceMs,
    );
  };
  next();
  return {
    isOver: () => isOver,
    look: async () => await look().catch(() => {}), // it is gone
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** In bytes; many small files count as large ones. */
async function sizeOf({ folder, enter, path }: StorageBound): Promise<number> {
  const of = async (...how: string[]): Promise<number> => {
    const [program, ...args] = [...enter, "du", "-sx", ...how, "."];
    const { stdout } = await run(program, args, { cwd: folder, env: { PATH: path, LC_ALL: "C" } })
      // Files go while it looks at them; what it has counted is told all the same.
      .catch((error: unknown) => ({
        stdout: textIn(error, "stdout"),
      }));
    return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
  };
  return Math.max((await of("-k")) * 1024, (await of("--inodes")) * bytesOfFile);
}
