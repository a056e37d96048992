import { readFileSync, statfsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { until } from "../broker/given-polling.ts";
import { agentProgram } from "../programs/present-programs.ts";
import { testFolder } from "../run/folder.ts";
import { type AgentProcess, startAgentProcess } from "./start-agent-process.ts";

/** An agent whose data directory is a file system of its own, of a few MiB, that nobody else sees. */
export type SmallDisk = {
  readonly agent: AgentProcess;
  /** The directory, as the agent's own scripts name it. */
  readonly dataDir: string;
  /** Leaves so many bytes free on it, by a file that is nobody's. */
  readonly leaveFree: (bytes: number) => Promise<void>;
  readonly freeBytes: () => number;
  readonly list: (folder: string) => Promise<string[]>;
  /** Kills the agent as nothing can be handled, and waits until there is another one. */
  readonly killAndAwaitNext: () => Promise<void>;
};

type Settings = Readonly<Record<string, string>>;

/** Mounts, and starts the agent in there; one that is killed is started again, as a supervisor does. */
const supervising =
  'mount -t tmpfs -o size="$1",mode=700 tmpfs "$0" && shift && for _ in 1 2 3; do "$@"; done';
/** Root may mount where nobody else sees it; others need a namespace of users of their own for it. */
const unsharing = process.getuid?.() === 0 ? "-m" : "-rm";

/** Starts the agent on a file system of that size. */
export async function givenSmallDisk(
  size: string,
  given: { readonly url: string; readonly token: string; readonly settings?: Settings },
): Promise<SmallDisk> {
  const [dataDir, runDir] = [await testFolder(0o700), await testFolder(0o700)];
  // In the environment the shell above the agent would show it to every job.
  const tokenFile = path.join(await testFolder(0o700), "token");
  await writeFile(tokenFile, given.token);
  const command = ["unshare", unsharing, "sh", "-c", supervising, dataDir, size] as const;
  const agent = await startAgentProcess({
    url: given.url,
    dataDir,
    settings: { "run-dir": runDir, "token-file": tokenFile, ...given.settings },
    command: [...command, process.execPath, agentProgram],
  });
  // What the shell of that namespace sees: its mount is there and nowhere else.
  const inside = `/proc/${agent.pid}/root${dataDir}`;
  const pidOf = (): number | undefined => {
    try {
      const { pid } = JSON.parse(readFileSync(path.join(inside, "agent.json"), "utf8")) as {
        pid: number;
      };
      return pid;
    } catch {
      return undefined; // not there yet, or already gone
    }
  };
  onTestFinished(() => {
    agent.kill("SIGSTOP"); // the shell starts no other from here, and the agent's file can still be read through it
    const pid = pidOf();
    agent.kill("SIGKILL");
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  });
  return smallDisk({ agent, dataDir, inside, pidOf });
}

type Parts = Pick<SmallDisk, "agent" | "dataDir"> & {
  readonly inside: string;
  readonly pidOf: () => number | undefined;
};

function smallDisk({ agent, dataDir, inside, pidOf }: Parts): SmallDisk {
  const fill = path.join(inside, "fill");
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(inside);
    return bavail * bsize;
  };
  return {
    agent,
    dataDir,
    freeBytes,
    list: async (folder) => await readdir(path.join(inside, folder)),
    async leaveFree(bytes) {
      await rm(fill, { force: true });
      await writeFile(fill, Buffer.alloc(Math.max(0, freeBytes() - bytes)));
    },
    async killAndAwaitNext() {
      const before = pidOf();
      if (before === undefined) throw new Error("there is no agent to kill");
      process.kill(before, "SIGKILL");
      await until(() => pidOf() !== undefined && pidOf() !== before);
    },
  };
}

/** The text of a page of the agent's own, by the port that it logged. */
export async function watched(agent: AgentProcess, page: string): Promise<string> {
  await until(() => watchUrlOf(agent) !== undefined);
  return await (await fetch(`${watchUrlOf(agent)}${page}`)).text();
}

function watchUrlOf({ said }: AgentProcess): string | undefined {
  const line = said.log.findLast(({ msg }) => msg === "agent started");
  return typeof line?.["watch"] === "string" ? line["watch"] : undefined;
}
