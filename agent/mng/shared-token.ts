import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseToken } from "../../shared/token.ts";
import { findToken } from "../client/obtain-token.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { readIfExists, writeDurably } from "../files/atomic-file.ts";
import { errorCode } from "../files/disk-error.ts";

type Sharing = Pick<AgentConfig, "dataDir" | "mngAgentTokenFile">;

/** What is in a token file; empty where there is none. */
export async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

/** Gives the install agent this process's token, and remembers, by its digest, which one that was. */
export async function giveToken(config: Sharing, own: string): Promise<void> {
  const { mngAgentTokenFile: file } = config;
  if (file === undefined) return;
  await writeDurably(file, `${own}\n`);
  await remember(config, own);
}

/**
 * Gives the install agent a new token of this process where it has the one before. This is done before the new one is
 * used: from its first use on, the one before is valid for minutes only.
 */
export async function shareToken(config: Sharing, own: string, former = own): Promise<void> {
  const { mngAgentTokenFile: file } = config;
  const present = file === undefined ? "" : await readToken(file);
  if (present === "") return;
  if (present === own) await remember(config, own);
  else if (present === former || digestOf(present) === (await remembered(config))) {
    await giveToken(config, own);
  }
}

/** Does so at the start, for an earlier process that was killed before it could, with the token that is on disk. */
export async function shareKeptToken(config: AgentConfig): Promise<void> {
  const own = await findToken(config).catch(() => ""); // who connects says what is wrong with it
  if (own !== undefined && parseToken(own)?.kind === "rt") await shareToken(config, own);
}

const digestOf = (token: string): string => hash("sha256", token);
const recordOf = ({ dataDir }: Sharing): string => path.join(dataDir, "shared-token");

async function remembered(config: Sharing): Promise<string> {
  return (await readIfExists(recordOf(config))).trim();
}

async function remember(config: Sharing, token: string): Promise<void> {
  const digest = digestOf(token);
  if ((await remembered(config)) !== digest) await writeDurably(recordOf(config), `${digest}\n`);
}
