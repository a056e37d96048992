import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFailed, onTestFinished } from "vitest";
import { jobReader, type RunnerWithAgent } from "../agent/given-jobs.ts";
import { hurried, testDataDir } from "../agent/start-test-agent.ts";
import type { Fleet, TestRunner } from "../broker/given-fleet.ts";
import { until } from "../broker/given-polling.ts";
import { agentProgram, compileCache } from "../programs/present-programs.ts";
import { testFolder } from "../run/folder.ts";

/** A management process, which can be killed; the agent that it looks after goes on. */
export type MngProcess = {
  readonly kill: (signal: NodeJS.Signals) => boolean;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly log: Record<string, unknown>[];
  readonly said: () => string;
};

/** A process of the runner, as an operator sees it. */
export type ShownProcess = {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly composite_status: { readonly status: string };
  readonly warnings: readonly string[];
  readonly next_scheduled_restart_at: string | null;
  readonly previous_scheduled_restart_at: string | null;
};

export type ManagedHost = Omit<RunnerWithAgent, "agent"> & {
  readonly folder: string;
  readonly agentDataDir: string;
  readonly mngDataDir: string;
  readonly versionsDir: string;
  readonly agentConfig: string;
  readonly journal: () => Promise<{
    readonly release: string;
    readonly stopped: string;
    readonly operation: { readonly step: string } | null;
  }>;
  readonly startMng: (
    more?: Readonly<Record<string, string>>,
    env?: Readonly<Record<string, string>>,
    /** Arguments of Node. */
    nodeArgs?: readonly string[],
  ) => MngProcess;
  /** The live processes of a type. */
  readonly live: (type: string) => Promise<readonly ShownProcess[]>;
  /** How many processes of a type there ever were. */
  readonly everRegistered: (type: string) => Promise<number>;
  /** Resolves with the only live install agent, once it has sent a heartbeat, if it is not the one given. */
  readonly agentUp: (former?: string) => Promise<ShownProcess>;
  readonly agentPid: () => Promise<number>;
  /** All agents that run on this host, as the system sees them. */
  readonly agentPids: () => Promise<readonly number[]>;
  readonly changeSettings: (changes: object) => Promise<void>;
};

/** A host with the settings of an install agent, on which management processes can be started. */
export async function givenManagedHost(
  fleet: Fleet,
  agentSettings: Readonly<Record<string, string>> = {},
): Promise<ManagedHost> {
  const runner = await fleet.addRunner({
    parallelism: { actions: 2, operations: 2, management: 1 },
  });
  const folder = await testFolder(0o755);
  const [agentDataDir, mngDataDir] = [await testDataDir(), await testDataDir()];
  const versionsDir = path.join(folder, "versions");
  await mkdir(versionsDir);
  const tokenFile = path.join(folder, "token");
  await writeFile(tokenFile, runner.token, { mode: 0o600 });
  const agentConfig = path.join(folder, "agent.conf");
  const shared = { "broker-url": fleet.broker.url, "token-file": tokenFile, ...hurried };
  const lines = { ...shared, "data-dir": agentDataDir, "flush-timeout": "5s", ...agentSettings };
  const text = Object.entries(lines).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(agentConfig, text.join(""));
  const started: ChildProcess[] = [];

  const agentPid = async (): Promise<number> => {
    const presence = await readFile(path.join(agentDataDir, "agent.json"), "utf8");
    return (JSON.parse(presence) as { pid: number }).pid;
  };
  onTestFinished(async () => {
    for (const child of started) child.kill("SIGKILL");
    for (const pid of await findAgents(agentConfig)) process.kill(pid, "SIGKILL");
  });

  const startMng: ManagedHost["startMng"] = (more = {}, env = {}, nodeArgs = []) => {
    const settings = {
      ...shared,
      "data-dir": mngDataDir,
      "mng-agent-config": agentConfig,
      "mng-agent-data-dir": agentDataDir,
      "mng-versions-dir": versionsDir,
      "mng-update-window": "0s",
      ...more,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(process.execPath, [...nodeArgs, agentProgram, "mng", ...flags], {
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    const mng = watchMng(child);
    onTestFailed(() => console.error(mng.said()));
    return mng;
  };

  const processes = async (query: string): Promise<readonly ShownProcess[]> => {
    const { body } = await fleet.broker.call<{ items: ShownProcess[] }>(
      `GET /v1/runners/${runner.runnerId}/processes?${query}`,
      { token: runner.operatorToken },
    );
    return body.items;
  };
  const live: ManagedHost["live"] = async (type) => await processes(`type=${type}&status=active`);
  return {
    ...jobReader(fleet, runner),
    folder,
    agentDataDir,
    mngDataDir,
    versionsDir,
    agentConfig,
    agentPid,
    agentPids: async () => await findAgents(agentConfig),
    startMng,
    live,
    everRegistered: async (type) => (await processes(`type=${type}`)).length,
    journal: async () =>
      JSON.parse(await readFile(path.join(mngDataDir, "management.json"), "utf8")) as Awaited<
        ReturnType<ManagedHost["journal"]>
      >,
    agentUp: async (former) => await onlyAgent(live, former),
    changeSettings: async (changes) => {
      await changeSettings(fleet, runner, changes);
    },
  };
}

async function findAgents(agentConfig: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  const isAgent = (line: string | undefined): boolean =>
    line?.endsWith(`\0start\0--config\0${agentConfig}\0`) === true;
  return pids.filter((_, at) => isAgent(lines[at])).map(Number);
}

function watchMng(child: ChildProcess): MngProcess {
  const log: Record<string, unknown>[] = [];
  let words = "";
  child.stderr?.on("data", (bytes: Buffer) => (words += bytes.toString()));
  if (child.stdout !== null) {
    createInterface(child.stdout).on("line", (line) => {
      words += `${line}\n`;
      if (line.startsWith("{")) log.push(JSON.parse(line) as Record<string, unknown>);
    });
  }
  // Not "close": the agent has the same output, and outlives it.
  const ended = once(child, "exit").then(() => child.exitCode ?? child.signalCode);
  return { kill: (signal) => child.kill(signal), ended, log, said: () => words };
}

async function onlyAgent(live: ManagedHost["live"], former?: string): Promise<ShownProcess> {
  let found: ShownProcess | undefined;
  await until(async () => {
    const all = await live("install");
    found = all.length === 1 && all[0]?.id !== former ? all[0] : undefined;
    return found !== undefined;
  });
  if (found === undefined) throw new Error("there is no agent");
  return found;
}

async function changeSettings(fleet: Fleet, runner: TestRunner, body: object): Promise<void> {
  const what = `PATCH /v1/runners/${runner.runnerId}/settings`;
  const answer = await fleet.broker.call(what, { token: runner.operatorToken, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
