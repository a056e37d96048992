import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { Fleet, TestRunner } from "../broker/given-fleet.ts";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";
import { type RunnerWithAgent, jobReader } from "./given-jobs.ts";
import {
  type AgentProcess,
  type AgentProcessOptions,
  startAgentProcess,
} from "./start-agent-process.ts";

export type KillableAgent = TestRunner &
  Omit<RunnerWithAgent, "agent"> & {
    readonly runDir: string;
    readonly first: AgentProcess;
    /** Starts the agent once more. */
    readonly again: () => Promise<AgentProcess>;
    /** Kills it as nothing can be handled. */
    readonly kill: (agent: AgentProcess) => Promise<void>;
    /** A file that scripts make to show how far they are. */
    readonly mark: (name: string) => string;
    /** Resolves when it is there. */
    readonly marked: (name: string) => Promise<void>;
    readonly lines: (name: string) => Promise<string[]>;
  };

/** An agent as a process, marks that scripts make, and what is needed to start the agent again. */
export async function givenKillableAgent(
  fleet: Fleet,
  more: Readonly<Record<string, string>> = {},
  command?: AgentProcessOptions["command"],
): Promise<KillableAgent> {
  const runner = await fleet.addRunner({
    parallelism: { actions: 2, operations: 2, deploy: 1, build: 1, sync: 1 },
  });
  const folder = await testFolder(0o777);
  const mark = (name: string): string => path.join(folder, name);
  const runDir = await testFolder(0o700);
  const given = {
    url: fleet.broker.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    settings: { "run-dir": runDir, ...more },
    ...(command !== undefined && { command }),
  };
  const first = await startAgentProcess(given);
  return {
    ...jobReader(fleet, runner),
    runDir,
    first,
    again: async () => await startAgentProcess({ ...given, dataDir: first.dataDir }),
    kill: async (agent) => {
      agent.kill("SIGKILL");
      await agent.ended;
    },
    mark,
    marked: async (name) => await until(() => existsSync(mark(name))),
    lines: async (name) => (await readFile(mark(name), "utf8")).trim().split("\n"),
  };
}

/** A command that waits for a file. */
export const wait = (file: string): string => `until [ -e ${file} ]; do sleep 0.05; done`;

/** An action with these steps. */
export const action = (steps: readonly object[], plan: object = {}): Partial<NewJob> => ({
  type: "actions-workflow",
  plan: JSON.stringify({ ...plan, steps }),
});
