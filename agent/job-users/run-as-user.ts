import { execa } from "execa";
import { findProgram } from "../processes/find-program.ts";

/** A shell's words for what a job's user is to do, and what the script calls $1, $2 … */
export type UserScript = {
  readonly script: string;
  readonly args: readonly string[];
  /** Its standard input. */
  readonly input?: string | Uint8Array;
};

const withinMs = 120_000;
const search = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

/**
 * Lets a job's user do something in folders of its own. What the user may not do, the kernel refuses: the agent
 * itself, whom nothing is refused, touches nothing that a job could replace by a link. Throws when it fails.
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

/** Where setpriv is, by which a command becomes another user's for good; nothing where there is none. */
export async function findSetpriv(): Promise<string | undefined> {
  return await findProgram("setpriv", { cwd: "/", search });
}

/** Whether this process may become any user. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
