import path from "node:path";
import { readJobText } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { deployFailure } from "./deploy-failure.ts";
import { execCredential, pluginEnv, pluginTimeoutMs } from "./exec-credential.ts";
import type { KubeLogin } from "./kube-login.ts";
import type { ExecPlugin } from "./read-kubeconfig.ts";

type Means = {
  readonly job: Job;
  /** The environment of a plugin. */
  readonly env: Readonly<Record<string, string>>;
};

const mostToldBytes = 2 ** 18;
const mostPluginRuns = 1_000;

/**
 * Runs a kubeconfig's plugin as the job's user. Its answers are numbered, so that an agent that resumes the job finds
 * the last valid one. Throws JobFailure.
 */
export async function pluginLogin(plugin: ExecPlugin, means: Means): Promise<KubeLogin> {
  let silent = 0;
  for (let run = 1; run <= mostPluginRuns; run++) {
    const text = await askPlugin(plugin, means, run);
    // Files in memory are gone after a reboot.
    if (text === "" && silent++ === 0) continue;
    const login = execCredential(text);
    if (login.untilMs > Date.now()) {
      hideIn(login, means.job);
      return login;
    }
  }
  throw deployFailure("The kubeconfig's plugin returns tokens that have already expired.", "auth");
}

function hideIn({ token, key }: KubeLogin, job: Job): void {
  if (token) job.addSecret(token);
  if (key) job.addSecret(key);
}

/** Its output is a secret, so it goes to a file in memory and not to the log. */
async function askPlugin(plugin: ExecPlugin, means: Means, run: number): Promise<string> {
  const { job, env } = means;
  const { command, args } = plugin;
  const file = path.join(job.directories.secrets, `kube-login-${run}`);
  const end = await job.run({
    key: `kube-login/${run}`,
    step: "sign in",
    argv: ["sh", "-c", 'umask 077; exec "$@" >"$SVC_TOLD"', "sh", command, ...(args ?? [])],
    cwd: job.directories.workspace,
    env: { ...env, ...pluginEnv(plugin), SVC_TOLD: file },
    timeoutMs: pluginTimeoutMs,
  });
  if (end.why === "exited" && end.code === 0) {
    return await readJobText(file, job.directories.owner, mostToldBytes);
  }
  const name = path.basename(command);
  throw deployFailure(`The kubeconfig's plugin ${name} ${job.redact(end.words)}.`, "auth");
}
