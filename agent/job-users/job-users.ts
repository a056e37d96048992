import type { UserRange } from "../config/parsers.ts";
import { ExitError } from "../exit-error.ts";
import { missingCapabilities } from "./capabilities.ts";
import { busyUsers, endUser, sweepPublicFolders } from "./end-user.ts";
import { keepUsers } from "./kept-users.ts";
import { findSetpriv, isRoot, runAsUser } from "./run-as-user.ts";

/** The users that jobs run as; a user has one job at a time. */
export type JobUsers = {
  /** Whether jobs run as other users than the agent. */
  readonly isOn: boolean;
  /** Throws a message when they cannot enter one of these folders. */
  readonly assertEnter: (folders: readonly string[]) => Promise<void>;
  /** Takes a free user for an execution until it is given back; waits while all are taken. */
  readonly take: (executionId: string, signal: AbortSignal) => Promise<number>;
  /** Reserves the user of a resumed execution. */
  readonly keep: (executionId: string, user: number) => void;
  /** Kills all processes of the execution's user; returns messages about what hangs. */
  readonly end: (executionId: string) => Promise<string[]>;
  /** Frees the user: the execution has ended and its directories are removed. */
  readonly giveBack: (executionId: string) => Promise<void>;
  /** Ends what former jobs left running as users that are not reserved. Returns the number of users. */
  readonly clear: () => Promise<number>;
};

type Wish = { readonly range: UserRange | undefined; readonly dataDir: string };

/**
 * Opens the users of the setting, except those of other agents on this host. Throws a message when that is not
 * possible.
 */
export async function openJobUsers({ range, dataDir }: Wish): Promise<JobUsers> {
  if (range === undefined) return makeJobUsers([]);
  if (!isRoot()) {
    const words = `job-user is set, but the agent runs as user ${process.geteuid?.()}: only root can run jobs as other users.`;
    throw new ExitError("config", words);
  }
  if ((await findSetpriv()) === undefined) {
    throw new ExitError("config", "job-user needs setpriv (util-linux), which is not installed.");
  }
  const missing = missingCapabilities();
  if (missing.length > 0) {
    const words = `job-user is set, but root lacks capabilities here. Add them to the container: ${missing.map((name) => `CAP_${name}`).join(", ")}.`;
    throw new ExitError("config", words);
  }
  const users = await keepUsers(range, dataDir);
  if (users.length === 0) {
    const words = `Another agent on this host uses all users of job-user (${range.first}-${range.last}): give each agent its own range.`;
    throw new ExitError("config", words);
  }
  return makeJobUsers(users);
}

/** Takes the users of a list in turn. */
function makeJobUsers(users: readonly number[]): JobUsers {
  const free = [...users];
  const held = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const giveBack = async (executionId: string): Promise<void> => {
    const user = held.get(executionId);
    if (user === undefined) return;
    // A user with leftover processes is not used again.
    if ((await endUser(user)) > 0) return;
    await sweepPublicFolders(user);
    held.delete(executionId);
    if (users.includes(user)) free.push(user);
    waiting.shift()?.();
  };
  return {
    isOn: users.length > 0,
    async assertEnter(folders) {
      const [user] = users;
      if (user === undefined) return;
      for (const folder of folders) {
        await runAsUser(user, { script: 'cd -- "$1"', args: [folder] }).catch(() => {
          const words = `User ${user} of job-user cannot enter ${folder}: let every user pass through its parent folders (chmod o+x), or choose another folder.`;
          throw new ExitError("config", words);
        });
      }
    },
    async take(executionId, signal) {
      for (;;) {
        signal.throwIfAborted();
        const user = free.shift();
        if (user !== undefined) {
          held.set(executionId, user);
          return user;
        }
        await untilFree(waiting, signal);
      }
    },
    keep(executionId, user) {
      held.set(executionId, user);
      if (free.includes(user)) free.splice(free.indexOf(user), 1);
    },
    async end(executionId) {
      const user = held.get(executionId);
      const left = user === undefined ? 0 : await endUser(user);
      return left === 0
        ? []
        : [`${left} of its processes could not be killed: they hang in the kernel`];
    },
    giveBack,
    async clear() {
      const busy = await busyUsers(new Set(free));
      for (const user of busy) {
        if ((await endUser(user)) > 0) free.splice(free.indexOf(user), 1);
        else await sweepPublicFolders(user);
      }
      return busy.size;
    },
  };
}

async function untilFree(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
