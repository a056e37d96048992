import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { freeRoom } from "../workspace/disk-space.ts";
import { type DoctorContext, failed, type Found, ok } from "./finding.ts";

const gibibyte = 2 ** 30;

/** Whether the data and work directories are writable, with more free space than the minimum. */
export async function checkDisk({ config }: DoctorContext): Promise<Found> {
  const told: string[] = [];
  for (const folder of new Set([config.dataDir, config.workDir])) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const owner = process.getuid?.() ?? "USER";
      const advice = `Let the user that runs the agent own it: install -d -m 700 -o ${owner} ${folder}`;
      return failed(`${folder} cannot be written (${code}).`, advice);
    }
    const { bytes, files } = await freeRoom(folder);
    const words = `${folder} has ${size(bytes)} free`;
    if (files < config.minFreeInodes) {
      return failed(
        `${folder} has room for ${files} files, below the floor of ${config.minFreeInodes} (min-free-inodes): the agent takes no jobs.`,
        "Remove files, or move data-dir and work-dir to a file system with more inodes.",
      );
    }
    if (bytes < config.minFreeDisk) {
      return failed(
        `${words}, below the floor of ${size(config.minFreeDisk)} (min-free-disk): the agent takes no jobs.`,
        "Free some space, or move data-dir and work-dir to another file system.",
      );
    }
    told.push(words);
  }
  return ok(`${told.join("; ")}.`);
}

const size = (bytes: number): string => `${(bytes / gibibyte).toFixed(1)} GiB`;
