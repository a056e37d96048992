import type { Job } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { OpenedCredential } from "./git-credentials.ts";
import { type GitKey, sshCommand, sshConfig } from "./git-keys.ts";
import { gitLoginWriter, type WriteLogin } from "./git-logins.ts";
import { overHttps, readGitUrl, sshServerOf } from "./git-url.ts";
import { ownGitCredentials } from "./own-git-credentials.ts";
import type { GitSource } from "./source.ts";

/** How git reaches a source: the URL, without credentials, and the environment that provides them. */
export type GitAccess = {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
};

type Settings = (readonly [string, string])[];

/**
 * Writes the credentials of a source, and those that the agent's owner gives builds, to files in memory, 0600; each reaches its own
 * server only. `name` identifies them within the job. Nothing is written once the job's logins are dropped.
 */
export async function gitAccess(job: Job, source: GitSource, name: string): Promise<GitAccess> {
  const isFileAllowed = job.agent.config.allowFileSources === "yes";
  const { url, origin, ...inUrl } = readGitUrl(source.url);
  if (!isFileAllowed && !/^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(url)) {
    throw new JobFailure(`The source ${url} is not allowed: use https, ssh or git.`, {
      reason: "plan_invalid",
    });
  }
  const { auth } = source;
  const password = firstLine(auth.password || auth.token || inUrl.password);
  const username = usernameOf(auth.username, inUrl);
  const key = auth.ssh_private_key ?? "";
  const ofPlan: Given = {
    ...(password !== "" && origin !== undefined && { login: { origin, username, password } }),
    ...(key !== "" && { key: { ...sshServerOf(url), text: key } }),
  };
  return { url, env: await gitEnv(job, name, ofPlan) };
}

/** A repository's address for HTTP, and the logins for that: the plan's for its server, and those of the agent's settings for others. */
export async function gitLogins(
  job: Job,
  source: GitSource,
): Promise<{ readonly url: string; readonly logins: Login[] }> {
  const { url, origin, ...inUrl } = readGitUrl(source.url);
  const { auth } = source;
  const password = firstLine(auth.password || auth.token || inUrl.password);
  const own = (await ownGitCredentials(job)).flatMap((one): Login[] =>
    one.kind === "token" ? [{ origin: one.origin, username: one.user, password: one.secret }] : [],
  );
  if (password === "" || origin === undefined) return { url: overHttps(url), logins: own };
  const ofPlan = { origin, username: usernameOf(auth.username, inUrl), password };
  return { url, logins: [ofPlan, ...own.filter((one) => one.origin !== origin)] };
}

const usernameOf = (
  given: string | null | undefined,
  inUrl: { readonly username?: string },
): string => firstLine(given || inUrl.username) || "x-access-token";

/** The environment of tools that fetch by git what no source of a plan names. */
export const gitEnvironment = async (
  job: Job,
  name: string,
): Promise<Readonly<Record<string, string>>> => await gitEnv(job, name, {});

type Login = { readonly origin: string; readonly username: string; readonly password: string };
/** What a plan gives to sign in with. */
type Given = {
  readonly login?: Login;
  readonly key?: { readonly host: string; readonly port: number; readonly text: string };
};

async function gitEnv(job: Job, name: string, given: Given): Promise<Record<string, string>> {
  const write = gitLoginWriter(job);
  if (write === undefined) return plainGitEnvironment(job);
  const own = await ownGitCredentials(job);
  const { login } = given;
  const settings: Settings = [];
  if (login !== undefined) {
    job.addSecret(login.password);
    settings.push(...helperFor(login.origin, await write(name, helperText(login))));
  }
  settings.push(...(await ownLogins(own, { name, write, notFor: login?.origin })));
  const keys = await writeKeys(own, given.key, { name, write });
  const isAlone = given.key !== undefined;
  const config =
    keys.length === 0 ? undefined : await write(`${name}.ssh`, sshConfig(keys, { isAlone }));
  return environmentOf(job, settings, config);
}

/** The environment of git that signs in nowhere by what a plan or the agent's owner gives. */
export const plainGitEnvironment = (job: Job): Record<string, string> =>
  environmentOf(job, [], undefined);

function environmentOf(
  { agent }: Job,
  settings: Settings,
  sshFile: string | undefined,
): Record<string, string> {
  const isFileAllowed = agent.config.allowFileSources === "yes";
  const always: Settings = [
    ["core.hooksPath", "/dev/null"],
    ["protocol.file.allow", isFileAllowed ? "always" : "never"],
  ];
  return {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: `https:http:ssh:git${isFileAllowed ? ":file" : ""}`,
    GIT_SSH_COMMAND: sshCommand(sshFile),
    ...configVariables([...always, ...settings]),
  };
}

/** A shell function and not a file, because files in memory may not be executable. Servers of submodules and redirects have none. */
const helperFor = (origin: string, file: string): Settings => [
  [`credential.${origin}.helper`, ""],
  [`credential.${origin}.helper`, `!f() { [ "$1" != get ] || cat '${file}'; }; f`],
];

const helperText = (of: { readonly username: string; readonly password: string }): string =>
  `username=${of.username}\npassword=${of.password}\n`;

type Writing = { readonly name: string; readonly write: WriteLogin };

/** A plan's own login for a server goes before that of the agent's settings. */
async function ownLogins(
  own: readonly OpenedCredential[],
  { name, write, notFor }: Writing & { readonly notFor: string | undefined },
): Promise<Settings> {
  const settings: Settings = [];
  for (const [at, one] of own.entries()) {
    if (one.kind === "ssh") settings.push(...bySsh(one, own, notFor));
    else if (one.origin !== notFor) {
      const text = helperText({ username: one.user, password: one.secret });
      settings.push(...helperFor(one.origin, await write(`${name}.${at}`, text)));
    }
  }
  return settings;
}

/**
 * Where a server has a key and no token, its addresses of https are reached by ssh: only if it is known by its own keys, as HTTPS
 * would know it.
 */
function bySsh(
  { host, port, user, knownHosts }: Extract<OpenedCredential, { readonly kind: "ssh" }>,
  own: readonly OpenedCredential[],
  notFor: string | undefined,
): Settings {
  const named = host.includes(":") ? `[${host}]` : host;
  const origin = `https://${named}`;
  const hasToken = own.some((one) => one.kind === "token" && one.origin === origin);
  if (knownHosts === undefined || hasToken || origin === notFor) return [];
  return [[`url.ssh://${user}@${named}:${port}/.insteadOf`, `${origin}/`]];
}

async function writeKeys(
  own: readonly OpenedCredential[],
  ofPlan: Given["key"],
  { name, write }: Writing,
): Promise<GitKey[]> {
  const keys: GitKey[] = [];
  const servers = own.filter((one) => one.kind === "ssh");
  const add = async (host: string, port: number, text: string): Promise<void> => {
    const isOf = (one: { readonly host: string; readonly port: number }): boolean =>
      one.host === host && one.port === port;
    if (keys.some(isOf)) return;
    const at = `${name}.key${keys.length === 0 ? "" : keys.length}`;
    const file = await write(at, text.endsWith("\n") ? text : `${text}\n`);
    const { knownHosts } = servers.find(isOf) ?? {};
    const hosts = knownHosts && { hostsFile: await write(`${at}.hosts`, `${knownHosts}\n`) };
    keys.push({ host, port, file, ...hosts });
  };
  if (ofPlan !== undefined) await add(ofPlan.host, ofPlan.port, ofPlan.text);
  for (const { host, port, secret } of servers) await add(host, port, secret);
  return keys;
}

/** Without the newline that a token from a file often has, as git expects it. */
const firstLine = (text: string | null | undefined): string => text?.split(/[\r\n\0]/)[0] ?? "";

function configVariables(config: Settings): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: `${config.length}` };
  for (const [at, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${at}`] = key;
    variables[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return variables;
}
