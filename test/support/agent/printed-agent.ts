import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { agentProgram, compileCache } from "../programs/present-programs.ts";
import { testDataDir } from "./start-test-agent.ts";

export type PrintedAgent = {
  readonly kill: (signal: NodeJS.Signals) => boolean;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

/** Runs what was printed for a person to type, in the folder: the last line starts an agent, which is killed after the test. */
export async function runPrinted(lines: readonly string[], folder: string): Promise<PrintedAgent> {
  const program = `#!/bin/sh\nexec "${process.execPath}" "${agentProgram}" "$@"\n`;
  await writeFile(path.join(folder, "svc-agent"), program, { mode: 0o755 });
  const env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    NODE_COMPILE_CACHE: compileCache,
    SVC_AGENT_DATA_DIR: await testDataDir(),
    SVC_AGENT_WATCH_PORT: "0",
    SVC_AGENT_MIN_FREE_DISK: "0",
  };
  for (const line of lines.slice(0, -1)) {
    await promisify(execFile)("sh", ["-c", line], { cwd: folder, env });
  }
  const child = spawn("sh", ["-c", `exec ${lines.at(-1)}`], { cwd: folder, env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit").then(() => child.exitCode ?? child.signalCode);
  return { kill: (signal) => child.kill(signal), ended };
}
