import { mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isSea } from "node:sea";
import type { Environment } from "./config/environment.ts";

const variable = "SVC_AGENT_TOKEN";
const passed = "SVC_AGENT_TOKEN_ONCE";

/**
 * Takes a token out of this process's environment. Deleting the variable would leave it in /proc/<pid>/environ for every
 * job to read, so the process replaces itself, under the same pid, by one that never had it; the token goes by way of
 * a file in memory that only this user can read and that is gone as soon as it was read. Answers the environment as it
 * was given.
 */
export function hideToken(env: Environment): Environment {
  const { [variable]: token, [passed]: file, ...rest } = env;
  if (file !== undefined) return { ...rest, [variable]: readOnce(file) };
  if (token === undefined || token === "" || process.execve === undefined) return env;
  const folder = mkdtempSync(path.join(memoryFolder(), "svc-agent-"));
  const passing = path.join(folder, "token");
  writeFileSync(passing, token, { mode: 0o600 });
  // A single executable has no script among its arguments.
  const given = isSea() ? process.argv.slice(2) : process.argv.slice(1);
  const args = [process.execPath, ...(isSea() ? [] : process.execArgv), ...given];
  return process.execve(process.execPath, args, { ...rest, [passed]: passing });
}

function readOnce(file: string): string {
  const token = readFileSync(file, "utf8");
  rmSync(file);
  rmdirSync(path.dirname(file));
  return token;
}

function memoryFolder(): string {
  try {
    return statSync("/dev/shm").isDirectory() ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir(); // not every system has it
  }
}
