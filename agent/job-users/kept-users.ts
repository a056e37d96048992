import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { UserRange } from "../config/parsers.ts";
import { readPresence } from "../paths/data-dir.ts";

/** Removed by a reboot, which also ends all processes. */
const places = ["/run", "/dev/shm"];

/**
 * Reserves the users of the range for the agent of this data directory, except those of other agents on this host that
 * run or whose jobs may run. An agent kills all processes of its users.
 */
export async function keepUsers({ first, last }: UserRange, dataDir: string): Promise<number[]> {
  const folder = await makeFolder();
  const kept: number[] = [];
  for (let user = first; user <= last; user += 1) {
    const file = path.join(folder, `${user}`);
    const owner = await readFile(file, "utf8").catch(() => "");
    if (owner !== "" && owner !== dataDir && (await isInUse(owner))) continue;
    await writeFile(file, dataDir, { mode: 0o600 });
    kept.push(user);
  }
  return kept;
}

async function makeFolder(): Promise<string> {
  let reason: unknown;
  for (const place of places.filter((one) => existsSync(one))) {
    const folder = path.join(place, "svc-agent-users");
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

async function isInUse(dataDir: string): Promise<boolean> {
  if ((await readPresence(dataDir)) !== undefined) return true;
  const executions = await readdir(path.join(dataDir, "executions")).catch(() => []);
  return executions.length > 0;
}
