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
  /** A folder in it that does not count. */
  readonly except: string;
  /** What a command begins with that sees all of it. */
  readonly enter: readonly string[];
  readonly path: string;
  /** What is free on the disk. */
  readonly freeBytes?: () => Promise<number>;
};

/** What is done with the build. */
export type StorageActs = {
  /** It has more than it may have. */
  readonly over: () => void;
  /** It waits, as nobody knows yet whether it has: to look at many files takes time, in which it would write on. */
  readonly hold: () => void;
  readonly release: () => void;
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
/** To look at a large folder is work for the disk, too: it has rest for so many times as long. */
const restFactor = 10;
/** A file takes more of the disk than its bytes. */
const bytesOfFile = 8 * 2 ** 10;

/**
 * Looks at what a folder takes, by its size and the number of its files. What is free on the disk is asked at short
 * intervals, which takes no time; it is looked again when half is gone of what was left at the last look. Once as much is
 * gone as the folder may have, the build waits until it is known whose that is.
 */
export function watchStorage(bound: StorageBound, acts: StorageActs): StorageWatch {
  const { mostBytes, leastFree, freeBytes = async () => await freeIn(bound.folder) } = bound;
  let [isOver, isStopped, isHeld] = [false, false, false];
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** What is free without the folder. */
  let before: number | undefined;
  const pace = makePace(mostBytes);
  const tell = (): void => {
    isOver = true;
    acts.over();
  };
  const look = async (): Promise<void> => {
    const bytes = await pace.looked(sizeOf(bound));
    if (bytes > mostBytes) return tell();
    // The rest of what is gone is others'.
    before = (await freeBytes()) + bytes;
  };
  const begin = (): void => {
    looking ??= look()
      .catch(() => {}) // it is gone
      .finally(() => {
        looking = undefined;
        if (isHeld && !isOver && !isStopped) acts.release();
        isHeld = false;
      });
  };
  const glance = async (): Promise<void> => {
    const free = await freeBytes();
    before ??= free;
    if (free < leastFree) return tell();
    const gone = before - free;
    if (pace.isDue(gone)) begin();
    if (gone <= mostBytes || looking === undefined || isHeld || isStopped) return;
    isHeld = true;
    acts.hold();
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
    look: async () => {
      await looking;
      await look().catch(() => {}); // it is gone
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** When a folder is looked at again. */
function makePace(mostBytes: number) {
  let [glances, seen, restsUntil] = [0, 0, 0];
  return {
    looked: async (looking: Promise<number>): Promise<number> => {
      const from = performance.now();
      seen = await looking;
      restsUntil = performance.now() + restFactor * (performance.now() - from);
      return seen;
    },
    /** By how much of the disk is gone with the folder. */
    isDue: (gone: number): boolean => {
      glances += 1;
      if (gone > mostBytes) return true;
      const isMuch = gone > (seen + mostBytes) / 2;
      return (isMuch || glances % lookEvery === 0) && performance.now() >= restsUntil;
    },
  };
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** In bytes; many small files count as large ones. */
async function sizeOf({ folder, except, enter, path }: StorageBound): Promise<number> {
  const of = async (...how: string[]): Promise<number> => {
    const [program, ...args] = [...enter, "du", "-sx", `--exclude=./${except}`, ...how, "."];
    const { stdout } = await run(program, args, { cwd: folder, env: { PATH: path, LC_ALL: "C" } })
      // Files go while it looks at them; what it has counted is told all the same.
      .catch((error: unknown) => ({
        stdout: textIn(error, "stdout"),
      }));
    return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
  };
  const [blocks, files] = await Promise.all([of("-k"), of("--inodes")]);
  return Math.max(blocks * 1024, files * bytesOfFile);
}
