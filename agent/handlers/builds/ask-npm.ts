import path from "node:path";
import { makeJobFolders, readJobText } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { type BuildClass, buildFailure, endReasons } from "./build-failure.ts";
import type { BuildContext } from "./builder.ts";

type NpmCall = {
  /** Its name within the job: the same name is run once. */
  readonly key: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Begins the sentence of a failure. */
  readonly doing: string;
  /** Whether a complaint is none for this call. */
  readonly isNone?: (complaint: string) => boolean;
};

/** For npm that npm starts: it reads the settings of what it installs, which these go before. */
const unscripted = { npm_config_git: "git", npm_config_ignore_scripts: "true" };
const mostSaidBytes = 2 ** 20;
const mostComplaint = 1_500;

/**
 * Runs npm in a folder of the job; throws JobFailure with its complaint. Neither a program's scripts run nor any program that
 * its settings name: what is built is not trusted.
 */
export async function askNpm({ job, env }: BuildContext, call: NpmCall): Promise<void> {
  const { workspace, secrets, owner } = job.directories;
  const cache = path.join(workspace, "npm-cache");
  await makeJobFolders([cache], owner);
  const saidFile = path.join(secrets, `npm-${call.key}.said`);
  const quiet = ["sh", "-c", 'umask 077; exec "$@" >/dev/null 2>"$SVC_SAID"', "sh"];
  const fixed = [
    "--git=git",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
  ];
  const end = await job.run({
    key: `npm/${call.key}`,
    step: "npm",
    argv: [...quiet, "npm", ...call.args, ...fixed],
    cwd: call.cwd,
    env: { ...env, ...unscripted, npm_config_cache: cache, NO_COLOR: "1", SVC_SAID: saidFile },
  });
  if (end.why === "exited" && end.code === 0) return;
  if (end.code === 127) {
    throw new JobFailure("The build needs npm, which is not on this host's PATH.", {
      reason: "tool_missing",
      code: 127,
    });
  }
  const said = job.redact(await readJobText(saidFile, owner, mostSaidBytes));
  const reason = endReasons[end.why];
  if (reason !== undefined) throw new JobFailure(`${call.doing}: npm ${end.words}.`, { reason });
  const lines = said.split("\n").filter((line) => !/A complete log of this run|^\s*$/.test(line));
  const complaint = lines
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim())
    .join(" ")
    .slice(0, mostComplaint)
    .toWellFormed();
  if (call.isNone?.(said) === true) return;
  const words = complaint === "" ? `npm ${end.words}` : complaint.replace(/\.$/, "");
  throw buildFailure(`${call.doing}: ${words}.`, classOf(complaint), "package-lock.json");
}

const classes: readonly (readonly [RegExp, BuildClass])[] = [
  [/\bE40[13]\b|ENEEDAUTH|EOTP/, "auth"],
  [/\bE429\b/, "rate_limited"],
  [/\bE404\b|ETARGET|ENOVERSIONS|ENOTCACHED/, "dependency_missing"],
  [/EINTEGRITY|sha512.*integrity checksum failed/, "digest"],
  [/ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET|CERT_|E50[0-4]\b/, "network"],
  [/EUSAGE|EJSONPARSE|in sync|ELSPROBLEMS|EINVALIDPACKAGENAME|EBADPLATFORM/, "config_invalid"],
  [/ENOENT/, "dependency_missing"],
];

function classOf(complaint: string): BuildClass {
  return classes.find(([pattern]) => pattern.test(complaint))?.[1] ?? "refused";
}
