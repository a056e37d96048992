import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { openRunDir } from "../../../agent/processes/open-run-dir.ts";
import type { Fleet, TestRunner } from "../broker/given-fleet.ts";
import { logOf } from "../logs/read-log.ts";
import { testFolder } from "../run/folder.ts";
import { type RunnerWithAgent, jobReader } from "./given-jobs.ts";
import { type AgentProcess, startAgentProcess } from "./start-agent-process.ts";

/** Whether this machine lets us be other users; a laptop's tests say in one line that it does not. */
export const canChangeUsers = process.getuid?.() === 0;
export const leftOut = "jobs as other users are left out here: only root can start them";

export type RunnerWithJobUsers = TestRunner &
  Omit<RunnerWithAgent, "agent"> & {
    readonly agent: AgentProcess;
    readonly tokenFile: string;
    /** Where the agent keeps the output and the secrets of jobs. */
    readonly runDir: string;
    readonly again: () => Promise<AgentProcess>;
    /** A folder in which any user may make files, to tell how far a script is: they go with their job. */
    readonly marks: string;
    /** The bodies of a job's log, in order. */
    readonly logOf: (jobId: string) => Promise<string[]>;
    /** Processes of the users of this test. */
    readonly running: () => number[];
  };

/** An agent, a process of root's, whose jobs run as the users of a range. */
export async function givenJobUsers(
  fleet: Fleet,
  [first, last]: readonly [number, number],
  settings: Readonly<Record<string, string>> = {},
  command?: readonly [string, ...string[]],
): Promise<RunnerWithJobUsers> {
  const runner = await fleet.addRunner({ parallelism: { actions: 2, deploy: 2 } });
  const tokenFile = path.join(await testFolder(), "token");
  await writeFile(tokenFile, runner.token, { mode: 0o600 });
  const [runPlace, marks] = [await testFolder(), await testFolder(0o777)];
  const given = {
    url: fleet.broker.url,
    settings: {
      "token-file": tokenFile,
      "run-dir": runPlace,
      "job-user": `${first}-${last}`,
      ...settings,
    },
    ...(command !== undefined && { command }),
  };
  const agent = await startAgentProcess(given);
  const { path: runDir } = await openRunDir({
    setting: runPlace,
    dataDir: agent.dataDir,
    isEntered: true,
  });
  return {
    ...jobReader(fleet, runner),
    agent,
    tokenFile,
    runDir,
    marks,
    again: async () => await startAgentProcess({ ...given, dataDir: agent.dataDir }),
    logOf: async (jobId) => await logOf(fleet, runner, jobId),
    running: () => processesOf(first, last),
  };
}

/** The processes of a range of users, but for those that wait to be buried. */
function processesOf(first: number, last: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      const text = statusOf(pid);
      const uid = Number(/^Uid:\s+(\d+)/m.exec(text)?.[1] ?? -1);
      return uid >= first && uid <= last && !/^State:\s+Z/m.test(text);
    });
}

function statusOf(pid: number): string {
  try {
    return Number.isNaN(pid) ? "" : readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
