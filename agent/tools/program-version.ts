import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { z } from "zod";

const run = promisify(execFile);
const patienceMs = 30_000;
const known = new LRUCache<string, string>({ max: 100 });

/** How a program is asked for its version. */
export type VersionAsk = {
  readonly args: readonly string[];
  /** Reads it from what the program prints; throws when that is none. */
  readonly read: (printed: string) => string;
  readonly env: Readonly<Record<string, string>>;
};

const answer = z.looseObject({ terraform_version: z.string() });
const terraforms: VersionAsk = {
  args: ["version", "-json"],
  read: (printed) => answer.parse(JSON.parse(printed)).terraform_version, // tofu uses the same name
  env: { CHECKPOINT_DISABLE: "1" },
};

/** The version that terraform or tofu reports, or another program that is asked so; empty if it reports none. Cached for an unchanged program. */
export async function programVersion(
  program: string,
  path: string,
  { args, read, env }: VersionAsk = terraforms,
): Promise<string> {
  const { mtimeMs, size, ino } = await stat(program);
  const key = `${program} ${ino} ${size} ${mtimeMs}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  try {
    const { stdout } = await run(program, args, {
      timeout: patienceMs,
      cwd: "/",
      env: { PATH: path, HOME: "/nonexistent", ...env },
    });
    const version = read(stdout);
    known.set(key, version);
    return version;
  } catch {
    return ""; // it is not one of them, or cannot run here
  }
}
