import { execa } from "execa";
import { findProgram } from "../processes/find-program.ts";

/** A shell script for the job's user, and its arguments $1, $2 … */
export type UserScript = {
  readonly script: string;
  readonly args: readonly string[];
  /** Its standard input. */
  readonly input?: string | Uint8Array;
};

const withinMs = 120_000;
const search = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

/**
 * Runs a script as a job's user in its own directories. The kernel refuses what that user may not do, so the agent as
 * root never touches what a job could replace by a link. Throws when it fails.
 */
export async function runAsUser(user: number, { script, args, input }: UserScript): Promise<void> {
  const { failed, exitCode, stderr } = await execa(
    "/bin/sh",
    ["-c", script, "svc-agent", ...args],
    {
      cwd: "/",
      uid: user,
      gid: user,
      env: { PATH: search, LC_ALL: "C" },
      extendEnv: false,
      ...(input === undefined ? { stdin: "ignore" } : { input }),
      stdout: "ignore",
      reject: false,
      timeout: withinMs,
      killSignal: "SIGKILL",
    },
  );
  if (!failed) return;
  const [words = ""] = stderr.split("\n");
  throw new Error(
    words === "" ? `the command failed as user ${user} (${exitCode ?? "killed"})` : words,
  );
}

/** The path of setpriv, which drops to another user for good; undefined without it. */
export async function findSetpriv(): Promise<string | undefined> {
  return await findProgram("setpriv", { cwd: "/", search });
}

/** Whether this process may switch to any user. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
