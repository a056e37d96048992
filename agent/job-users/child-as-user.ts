import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ChildError } from "../processes/child-error.ts";
import type { ChildSpec } from "../processes/child.ts";
import { findProgram } from "../processes/find-program.ts";
import { findSetpriv } from "./run-as-user.ts";

/** The command and the environment of the supervisor, and the file that is passed down. */
export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** An open unnamed file, the supervisor's standard input, from which the child reads its environment. */
  readonly environment: number | undefined;
  readonly close: () => void;
};

/**
 * Runs as the job's user before its command: it changes to the directory, so that no link can redirect the supervisor,
 * and sets the variables, which would otherwise change the supervisor's own programs.
 */
const beginScript = `
SVC_AGENT_V=$("$1") || exit 126
exec </dev/null
cd -- "$2" || exit 126
shift 2
eval "$SVC_AGENT_V"
unset SVC_AGENT_V
exec "$@"
`;

const places = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";
/** Variables that some shells set themselves and make read-only. */
const shellsOwn = /^(?:UID|EUID|GID|EGID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;

/** How a child is started, as the agent's or as another user. The supervisor always runs as the agent's user. */
export async function launchOf(spec: ChildSpec, dir: string): Promise<Launch> {
  const { user, argv, cwd, env } = spec;
  if (user === undefined) return { argv, cwd, env, environment: undefined, close: () => {} };
  const setpriv = await findSetpriv();
  const cat = await findProgram("cat", { cwd: "/", search: places });
  if (setpriv === undefined || cat === undefined) {
    throw new ChildError(
      "setpriv or cat is missing on this host; running a job as another user needs both.",
    );
  }
  const rights = [
    `--reuid=${user}`,
    `--regid=${user}`,
    "--clear-groups",
    "--inh-caps=-all",
    "--no-new-privs",
  ];
  const begin = ["/bin/sh", "-c", beginScript, "svc-child", cat, cwd];
  const environment = openNameless(path.join(dir, "environment"), textOf(env));
  return {
    argv: [setpriv, ...rights, "--", ...begin, ...argv],
    cwd: "/",
    env: { PATH: places },
    environment,
    close: () => closeSync(environment),
  };
}

/** Written to the child's folder, which is in memory and only the agent's. */
function openNameless(file: string, text: string): number {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  try {
    return openSync(file, "r");
  } finally {
    unlinkSync(file);
  }
}

function textOf(env: ChildSpec["env"]): string {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !shellsOwn.test(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join("");
}
