import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { GitSource } from "./action-steps.ts";

/** How git gets at a source: the URL, which holds no credentials, and the environment that answers for them. */
export type GitAccess = {
  readonly url: string;
  readonly shownUrl: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Writes the credentials of a source to files in memory, 0600; `name` names them within the job. */
export async function gitAccess(job: Job, source: GitSource, name: string): Promise<GitAccess> {
  const isFileAllowed = job.host.config.allowFileSources === "yes";
  const { url, username, password } = splitUrl(source.url);
  if (!isFileAllowed && !/^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) {
    throw new JobFailure(
      `The source ${url} is not one that may be fetched: https, ssh and git are.`,
      {
        reason: "plan_invalid",
      },
    );
  }
  const { auth } = source;
  const secret = auth.password ?? auth.token ?? password;
  const env: Record<string, string> = {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: `https:http:ssh:git${isFileAllowed ? ":file" : ""}`,
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: "/dev/null",
    GIT_CONFIG_KEY_1: "protocol.file.allow",
    GIT_CONFIG_VALUE_1: isFileAllowed ? "always" : "never",
    GIT_ASKPASS: "/bin/false",
  };
  const { secrets } = job.place;
  if (secret !== undefined && secret !== "") {
    job.hide(secret);
    const file = path.join(secrets, name);
    await writeFile(`${file}.user`, auth.username || username || "x-access-token", { mode: 0o600 });
    await writeFile(`${file}.password`, secret, { mode: 0o600 });
    await writeFile(`${file}.askpass`, askpass, { mode: 0o700 });
    env["GIT_ASKPASS"] = `${file}.askpass`;
    env["SVC_GIT_CREDENTIALS"] = file;
  }
  env["GIT_SSH_COMMAND"] = await sshCommand(
    auth.ssh_private_key,
    path.join(secrets, `${name}.key`),
  );
  return { url, shownUrl: url, env };
}

const askpass = `#!/bin/sh
case $1 in
  Username*) cat "$SVC_GIT_CREDENTIALS.user" ;;
  *) cat "$SVC_GIT_CREDENTIALS.password" ;;
esac
`;

async function sshCommand(key: string | null | undefined, file: string): Promise<string> {
  const usual = "ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new";
  if (key == null || key === "") return usual;
  await writeFile(file, key.endsWith("\n") ? key : `${key}\n`, { mode: 0o600 });
  return `${usual} -o IdentitiesOnly=yes -i '${file}'`;
}

/** Credentials in a URL are taken out of it: nobody sees them in a list of processes, a remote or a log. */
function splitUrl(given: string): { url: string; username?: string; password?: string } {
  if (!URL.canParse(given)) return { url: given };
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol)) return { url: given };
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = "";
  url.password = "";
  if (username !== "" && password === "") return { url: url.href, password: username };
  return { url: url.href, ...(password !== "" && { username, password }) };
}
