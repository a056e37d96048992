import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ChildError } from "../processes/child-error.ts";
import type { ChildSpec } from "../processes/child.ts";
import { findProgram } from "../processes/find-program.ts";
import { findSetpriv } from "./run-as-user.ts";

/** What the supervisor is told to run, in which environment of its own, and what of it is handed down. */
export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** An open file, the supervisor's standard input, that the child reads its environment from; it has no name any more. */
  readonly environment: number | undefined;
  readonly close: () => void;
};

/**
 * The child's own side, as its user and before its command: it enters the folder, so that no link leads the
 * supervisor anywhere, and takes its variables, which would else bend the supervisor's own programs.
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
/** Names that some shells give themselves and let nobody set. */
const shellsOwn = /^(?:UID|EUID|GID|EGID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;

/** How a child is started as it is, or as its user. The supervisor is the agent's own in any case. */
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

/** In the child's folder, which is in memory and the agent's alone. */
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
