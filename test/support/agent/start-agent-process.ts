import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { agentProgram, compileCache } from "../programs/present-programs.ts";
import { hurried, testDataDir } from "./start-test-agent.ts";

/** An agent as a process of its own, which can be killed. */
export type AgentProcess = {
  readonly pid: number;
  readonly dataDir: string;
  /** What it logged, line by line, and what it said on standard error. */
  readonly said: { readonly log: Record<string, unknown>[]; err: string };
  readonly kill: (signal: NodeJS.Signals) => boolean;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

export type AgentProcessOptions = {
  readonly url: string;
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** What is run; the present agent by this Node, unless told. */
  readonly command?: readonly [string, ...string[]];
};

/** Starts an agent, hurried unless told; it is killed when the test has finished. */
export async function startAgentProcess(options: AgentProcessOptions): Promise<AgentProcess> {
  const dataDir = options.dataDir ?? (await testDataDir());
  const settings = {
    "broker-url": options.url,
    "data-dir": dataDir,
    ...hurried,
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const [program, ...first] = options.command ?? [process.execPath, agentProgram];
  const child = spawn(program, [...first, "start", ...flags], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: AgentProcess["said"] = { log: [], err: "" };
  child.stderr.on("data", (bytes: Buffer) => (said.err += bytes.toString()));
  createInterface(child.stdout).on("line", (line) => {
    said.log.push(JSON.parse(line) as Record<string, unknown>);
  });
  return {
    pid: child.pid ?? 0,
    dataDir,
    said,
    kill: (signal) => child.kill(signal),
    ended: endOf(child),
  };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  await once(child, "close");
  return child.exitCode ?? child.signalCode;
}
