import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { listWithTraits } from "../processes/list-processes.ts";

/** Longer than any start takes. */
const leastAgeMs = 60_000;

/**
 * Removes token files that earlier versions of the agent left when they were killed during their start. Removes only
 * what is certainly ours: owned by this user, readable by nobody else, alone in a folder of the right form, older than
 * a minute, and not used by a process. Returns how many; never rejects.
 */
export async function sweepPassedTokens(folder: string): Promise<number> {
  let removed = 0;
  for (const name of namesIn(folder).filter((one) => /^svc-agent-[A-Za-z0-9]{6}$/.test(one))) {
    const own = path.join(folder, name);
    const file = path.join(own, "token");
    try {
      if (!isLeft(own, file) || (await isAwaited(file))) continue;
      unlinkSync(file);
      rmdirSync(own);
      removed += 1;
    } catch {
      // Another process removes it, or we may not.
    }
  }
  return removed;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isLeft(own: string, file: string): boolean {
  const [around, token] = [lstatSync(own), lstatSync(file)];
  const areOurs = [around, token].every(
    ({ uid, mode }) => uid === process.getuid?.() && (mode & 0o077) === 0,
  );
  const isAlone = around.isDirectory() && token.isFile() && readdirSync(own).length === 1;
  return areOurs && isAlone && Date.now() - token.mtimeMs > leastAgeMs;
}

async function isAwaited(file: string): Promise<boolean> {
  const variables = [`SVC_AGENT_TOKEN_ONCE=${file}`];
  for await (const _ of listWithTraits({ variables, leaders: [] })) return true;
  return false;
}
