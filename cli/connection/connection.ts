import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { parseToken } from "../../shared/token.ts";
import type { CliConfig } from "../config.ts";
import type { GlobalValues } from "../flags/global-flags.ts";
import { readDevFile } from "./dev-file.ts";
import { devName, readProfiles, unknownProfile } from "./profile.ts";

/** Where requests go, as whom, and who said so. */
export type Connection = {
  readonly url: string;
  readonly token: string | undefined;
  readonly orgId: string | undefined;
  /** The runner of commands that name none; of a saved token only. */
  readonly runnerId: string | undefined;
  /** In words, for errors and `svc doctor`. */
  readonly source: string;
};

type Saved = Pick<Connection, "url" | "orgId" | "runnerId" | "source"> & { readonly token: string };
type Flags = Pick<GlobalValues, "url" | "org" | "token-file" | "profile">;

const usualUrl = "http://127.0.0.1:8420";

/**
 * Flags come before the environment, that before what is saved: the current profile, then the project's `svc dev`
 * (before the profile where SVC_DATA_DIR names it). A profile that a flag names comes before the environment, too. A
 * saved token is sent only to the URL it was saved with.
 */
export async function findConnection(config: CliConfig, flags: Flags): Promise<Connection> {
  const given = flags.profile === undefined ? config : { ...config, ...nothing };
  const url = flags.url?.replace(/\/+$/, "") ?? given.url;
  if (url !== undefined) requireHttp(url);
  const token = await tokenGiven(given, flags["token-file"]);
  const orgGiven = flags.org ?? given.orgId;
  const saved = await findSaved(config, { url, name: flags.profile ?? config.profile });
  const isGiven = url !== undefined || token !== undefined;
  const isSaved = token === undefined;
  return {
    url: url ?? saved?.url ?? usualUrl,
    token: token ?? saved?.token,
    orgId: orgGiven ?? (isSaved ? saved?.orgId : undefined),
    runnerId: isSaved && orgGiven === undefined ? saved?.runnerId : undefined,
    source: isGiven ? "flags and environment" : (saved?.source ?? "nothing saved"),
  };
}

const nothing = { url: undefined, token: undefined, orgId: undefined };

/** The text of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<string> {
  if (file === "-") return await readAll(process.stdin);
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? "unknown"}).`);
  });
}

/** A token from a file or standard input; a UsageError when it is none of ours. */
export async function readToken(file: string): Promise<string> {
  const token = (await readInput(file)).trim();
  if (parseToken(token) === undefined)
    throw new UsageError(`${file} does not contain a valid token.`);
  return token;
}

async function tokenGiven(
  config: Pick<CliConfig, "token">,
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined) return await readToken(file);
  if (config.token === undefined || parseToken(config.token) !== undefined) return config.token;
  throw new UsageError(
    "SVC_TOKEN is not a valid token. A token looks like svc_pat_… and ends in a checksum.",
  );
}

type Wanted = { readonly url: string | undefined; readonly name: string | undefined };

async function findSaved(config: CliConfig, { url, name }: Wanted): Promise<Saved | undefined> {
  if (name !== undefined) {
    const saved = await savedAs(config, name);
    return url === undefined || url === saved.url ? saved : undefined;
  }
  const finders = config.isDataDirTold ? [savedByDev, savedProfile] : [savedProfile, savedByDev];
  for (const find of finders) {
    const saved = await find(config);
    if (saved !== undefined && (url === undefined || url === saved.url)) return saved;
  }
  return undefined;
}

/** What is saved by a name; a UsageError where there is nothing. */
async function savedAs(config: CliConfig, name: string): Promise<Saved> {
  if (name === devName) {
    const dev = await savedByDev(config);
    if (dev !== undefined) return dev;
    throw new UsageError(`No svc dev was started in ${config.dataDir}.`, "Start it: svc dev");
  }
  const all = await readProfiles(config.profileFile);
  const profile = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
  if (profile === undefined) throw unknownProfile(name, all);
  const { url, token, org: orgId, runner: runnerId } = profile;
  requireHttp(url, ` of profile ${name}`);
  return { url, token, orgId, runnerId, source: `profile ${name} in ${config.profileFile}` };
}

async function savedProfile(config: CliConfig): Promise<Saved | undefined> {
  const { current } = await readProfiles(config.profileFile);
  return current === undefined ? undefined : await savedAs(config, current);
}

async function savedByDev({ dataDir }: CliConfig): Promise<Saved | undefined> {
  const dev = await readDevFile(dataDir);
  if (dev === undefined) return undefined;
  const { url, admin_token: token, runner_id: runnerId } = dev;
  return { url, token, orgId: undefined, runnerId, source: `svc dev, ${dataDir}` };
}

/** `of`: whose it is, where it was saved. */
function requireHttp(text: string, of = ""): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}"${of} is not an http or https URL.`);
  if (url.username + url.password !== "")
    throw new UsageError(
      `The URL${of} must not have a user or a password: a token says who calls.`,
    );
  if (url.search + url.hash !== "")
    throw new UsageError(`"${text}"${of} must not have a query or a fragment.`);
}
