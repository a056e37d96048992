import { readFileSync } from "node:fs";
import { listProcesses } from "../processes/list-processes.ts";
import { pauseBetweenLooks } from "../processes/pause-between-looks.ts";
import { isAbsence } from "../processes/process-identity.ts";
import { runAsUser } from "./run-as-user.ts";

const giveUpAfterMs = 20_000;

/**
 * Kills all processes of a user: kill(-1) as that user reaches all of them at once. Returns how many hang in the
 * kernel and are left.
 */
export async function endUser(user: number): Promise<number> {
  const giveUpAtMs = performance.now() + giveUpAfterMs;
  for (let round = 0; ; round += 1) {
    const left = await countOf(user);
    if (left === 0 || performance.now() > giveUpAtMs) return left;
    // It fails when the last process has ended meanwhile: the next check shows that.
    await runAsUser(user, { script: "kill -KILL -1", args: [] }).catch(() => {});
    await pauseBetweenLooks(round);
  }
}

/** The users of a range that have running processes. */
export async function busyUsers(users: ReadonlySet<number>): Promise<Set<number>> {
  const busy = new Set<number>();
  for await (const { pid } of listProcesses()) {
    for (const user of usersOf(pid)) if (users.has(user)) busy.add(user);
  }
  return busy;
}

/** Removes a user's files from world-writable folders, so that the next job of this user does not find them. */
export async function sweepPublicFolders(user: number): Promise<void> {
  const script = `for place; do find "$place" -xdev -user "$(id -u)" -delete 2>/dev/null; done; exit 0`;
  // What cannot be removed does no harm.
  await runAsUser(user, { script, args: ["/tmp", "/var/tmp", "/dev/shm"] }).catch(() => {});
}

async function countOf(user: number): Promise<number> {
  let count = 0;
  for await (const { pid } of listProcesses()) if (usersOf(pid).includes(user)) count += 1;
  return count;
}

/** Real, effective, saved and file system uid. A process that is not dumpable hides them elsewhere, but not here. */
function usersOf(pid: number): number[] {
  try {
    const [, ids = ""] = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return ids.split("\t").map(Number);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
