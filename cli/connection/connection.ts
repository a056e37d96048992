import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { parseToken } from "../../shared/token.ts";
import type { CliConfig } from "../config.ts";
import type { GlobalValues } from "../flags/global-flags.ts";
import { readDevFile } from "./dev-file.ts";
import { readProfile } from "./profile.ts";

/** Where requests go, as whom, and who said so. */
export type Connection = {
  readonly url: string;
  readonly token: string | undefined;
  readonly orgId: string | undefined;
  /** In words, for errors and `svc doctor`. */
  readonly source: string;
};

type Saved = { readonly url: string; readonly token: string; readonly orgId?: string | undefined };
type Source = Saved & { readonly source: string };

const usualUrl = "http://127.0.0.1:8420";

/**
 * Flags come before the environment, that before what is saved: the profile, then the project's `svc dev`
 * (before the profile where SVC_DATA_DIR names it). A saved token is sent only to the URL it was saved with.
 */
export async function findConnection(
  config: CliConfig,
  flags: Pick<GlobalValues, "url" | "org" | "token-file">,
): Promise<Connection> {
  const url = flags.url?.replace(/\/+$/, "") ?? config.url;
  if (url !== undefined) requireHttp(url);
  const token = await tokenGiven(config, flags["token-file"]);
  const orgGiven = flags.org ?? config.orgId;
  const saved = await findSaved(config, url);
  const isGiven = url !== undefined || token !== undefined;
  return {
    url: url ?? saved?.url ?? usualUrl,
    token: token ?? saved?.token,
    orgId: orgGiven ?? (token === undefined ? saved?.orgId : undefined),
    source: isGiven ? "flags and environment" : (saved?.source ?? "nothing saved"),
  };
}

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
  config: CliConfig,
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined) return await readToken(file);
  if (config.token === undefined || parseToken(config.token) !== undefined) return config.token;
  throw new UsageError(
    "SVC_TOKEN is not a valid token. A token looks like svc_pat_… and ends in a checksum.",
  );
}

async function findSaved(config: CliConfig, url: string | undefined): Promise<Source | undefined> {
  const finders = config.isDataDirTold ? [savedByDev, savedProfile] : [savedProfile, savedByDev];
  for (const find of finders) {
    const saved = await find(config);
    if (saved !== undefined && (url === undefined || url === saved.url)) return saved;
  }
  return undefined;
}

async function savedProfile({ profileFile }: CliConfig): Promise<Source | undefined> {
  const profile = await readProfile(profileFile);
  if (profile === undefined) return undefined;
  return { ...profile, orgId: profile.org, source: profileFile };
}

async function savedByDev({ dataDir }: CliConfig): Promise<Source | undefined> {
  const dev = await readDevFile(dataDir);
  return dev && { url: dev.url, token: dev.admin_token, source: `svc dev, ${dataDir}` };
}

function requireHttp(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(`"${url}" is not an http or https URL.`);
}
