import path from "node:path";
import { writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { readGitUrl } from "./git-url.ts";
import type { GitSource } from "./source.ts";

/** How git reaches a source: the URL, without credentials, and the environment that provides them. */
export type GitAccess = {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Writes the credentials of a source to files in memory, 0600; `name` identifies them within the job. */
export async function gitAccess(job: Job, source: GitSource, name: string): Promise<GitAccess> {
  const isFileAllowed = job.agent.config.allowFileSources === "yes";
  const { url, origin, ...inUrl } = readGitUrl(source.url);
  if (!isFileAllowed && !/^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) {
    throw new JobFailure(`The source ${url} is not allowed: use https, ssh or git.`, {
      reason: "plan_invalid",
    });
  }
  const { auth } = source;
  const { secrets, owner } = job.directories;
  const file = path.join(secrets, name);
  const write = async (file: string, text: string): Promise<void> =>
    await writeJobFileOnce(file, text, owner);
  const config: [string, string][] = [
    ["core.hooksPath", "/dev/null"],
    ["protocol.file.allow", isFileAllowed ? "always" : "never"],
  ];
  const env: Record<string, string> = {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: `https:http:ssh:git${isFileAllowed ? ":file" : ""}`,
    GIT_SSH_COMMAND: await sshCommand(auth.ssh_private_key, `${file}.key`, write),
  };
  const password = firstLine(auth.password || auth.token || inUrl.password);
  if (password !== "" && origin !== undefined) {
    job.addSecret(password);
    const username = firstLine(auth.username || inUrl.username) || "x-access-token";
    await write(file, `username=${username}\npassword=${password}\n`);
    env["SVC_GIT_CREDENTIALS"] = file;
    // Credentials are sent only to this server, not to those of submodules or redirects.
    const helper = `credential.${origin}.helper`;
    config.push([helper, ""], [helper, credentialHelper]);
  }
  return { url, env: { ...env, ...configVariables(config) } };
}

/** A shell function and not a file, because files in memory may not be executable. */
const credentialHelper = '!f() { [ "$1" != get ] || cat "$SVC_GIT_CREDENTIALS"; }; f';

/** Without the newline that a token from a file often has, as git expects it. */
const firstLine = (text: string | null | undefined): string => text?.split(/[\r\n\0]/)[0] ?? "";

function configVariables(config: readonly (readonly [string, string])[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: `${config.length}` };
  for (const [at, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${at}`] = key;
    variables[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return variables;
}

async function sshCommand(
  key: string | null | undefined,
  file: string,
  write: (file: string, text: string) => Promise<void>,
): Promise<string> {
  const usual = "ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new";
  if (key == null || key === "") return usual;
  await write(file, key.endsWith("\n") ? key : `${key}\n`);
  return `${usual} -o IdentitiesOnly=yes -i '${file}'`;
}
