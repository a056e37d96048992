import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { z } from "zod";

const run = promisify(execFile);
const patienceMs = 30_000;
const answer = z.looseObject({ terraform_version: z.string() });
const known = new LRUCache<string, string>({ max: 100 });

/** The version that terraform or tofu reports; empty if it reports none. Cached for an unchanged program. */
export async function programVersion(program: string, path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(program);
  const key = `${program} ${ino} ${size} ${mtimeMs}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  try {
    const { stdout } = await run(program, ["version", "-json"], {
      timeout: patienceMs,
      cwd: "/",
      env: { PATH: path, HOME: "/nonexistent", CHECKPOINT_DISABLE: "1" },
    });
    const { terraform_version } = answer.parse(JSON.parse(stdout)); // tofu uses the same name
    known.set(key, terraform_version);
    return terraform_version;
  } catch {
    return ""; // it is not one of them, or cannot run here
  }
}
