import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { devNull, tmpdir } from "node:os";
import path from "node:path";
import { isSea } from "node:sea";
import type { Environment } from "./config/environment.ts";

const variable = "SVC_AGENT_TOKEN";
const passed = "SVC_AGENT_TOKEN_ONCE";
/** Commands that read standard input need no token: they ask the agent that runs their job. */
const readers = new Set(["output", "redact"]);

/**
 * Removes a token from this process's environment. Deleting the variable would leave it in /proc/<pid>/environ for
 * every job to read, so the process re-executes itself, with the same pid, without it. The token is passed as standard
 * input: an unnamed file in memory, which is gone when this process ends. Returns the environment as it was given.
 */
export function hideToken(env: Environment): Environment {
  const { [variable]: token, [passed]: isPassed, ...rest } = env;
  const given = isSea() ? process.argv.slice(2) : process.argv.slice(1);
  const [command = ""] = process.argv.slice(2);
  if (isPassed !== undefined) return { ...rest, [variable]: takeInput() };
  if (token === undefined || token === "" || process.execve === undefined) return env;
  if (readers.has(command)) return rest;
  giveInput(token);
  // A single executable has no script among its arguments.
  const args = [process.execPath, ...(isSea() ? [] : process.execArgv), ...given];
  return process.execve(process.execPath, args, { ...rest, [passed]: "1" });
}

/** Where sweepPassedTokens looks for what earlier versions left. */
export function memoryFolder(): string {
  try {
    return statSync("/dev/shm").isDirectory() ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir(); // not every system has it
  }
}

/** An exec keeps only the standard streams open, and the next file that is opened gets the lowest free number. */
function giveInput(token: string): void {
  closeSync(0);
  const file = openNameless(memoryFolder());
  if (file !== 0) throw new Error("standard input could not be replaced");
  writeSync(file, token, 0); // a positioned write: the reader starts at offset 0
}

const { O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY } = constants;
/** O_TMPFILE, which Node does not export: with O_DIRECTORY it makes an unnamed file. */
const O_TMPFILE = 0o20_000_000 | O_DIRECTORY;

function openNameless(folder: string): number {
  try {
    if (process.platform === "linux") return openSync(folder, O_TMPFILE | O_RDWR, 0o600);
  } catch {
    // Not every file system supports O_TMPFILE.
  }
  // Unlinked while it is still empty, so that the token never has a name.
  const own = mkdtempSync(path.join(folder, "svc-agent-"));
  const file = path.join(own, "token");
  try {
    return openSync(file, O_RDWR | O_CREAT | O_EXCL, 0o600);
  } finally {
    unlinkSync(file);
    rmdirSync(own);
  }
}

function takeInput(): string {
  const token = readFileSync(0, "utf8");
  if (fstatSync(0).isFile()) ftruncateSync(0);
  closeSync(0);
  openSync(devNull, "r");
  return token;
}
