import type { z } from "zod";
import type { Token, tokenWithSecretSchema } from "../../shared/api/tokens.ts";
import { getOwnTokenRoute, rotateOwnTokenRoute } from "../../shared/api/tokens.ts";
import { parseToken } from "../../shared/token.ts";
import type { Connection } from "../agent-context.ts";
import type { BrokerClient } from "../client/broker-client.ts";
import { Refused } from "../client/broker-errors.ts";
import { keepEnrolled, readEnrolled } from "../client/enrolled-token.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { sweepDrafts, writeDurably } from "../files/atomic-file.ts";
import { Refusal } from "./driver.ts";
import type { FetchedTokens } from "./management.ts";
import { giveToken, readToken } from "./shared-token.ts";

type TokenParts = Pick<Connection, "client" | "tokens" | "runnerId"> & {
  readonly config: Pick<AgentConfig, "dataDir" | "tokenFile" | "mngAgentTokenFile">;
};
type NewToken = Pick<z.infer<typeof tokenWithSecretSchema>, "secret" | "expires_at">;

/**
 * Rotates the token of this process and that of the install agent. Each is in its file, whole and durably, before it is
 * used; the former ones are valid until the new ones have been in use for a while. A process that was killed between the
 * two files writes the second at its next start, before it uses the new one: a kill at any point loses nothing.
 */
export async function fetchTokens(parts: TokenParts): Promise<FetchedTokens> {
  const { config, tokens } = parts;
  const former = tokens.current();
  const keep = await keeperOf(config, former);
  const made = await rotate(parts.client);
  await keep(made);
  const agent = await renewAgents(parts, former, made.secret).finally(() =>
    tokens.replace(made.secret),
  );
  return { own: "rotated", agent, expiresAt: made.expires_at };
}

/**
 * Gives the install agent this process's token where it has none, where the broker refuses the one it has, and where that
 * one was replaced by this process's. One that was replaced by another is renewed. True when it wrote one.
 */
export async function provideToken(parts: TokenParts, signal: AbortSignal): Promise<boolean> {
  const { client, config, runnerId, tokens } = parts;
  const own = tokens.current();
  const { mngAgentTokenFile: file, tokenFile } = config;
  for (const one of [tokenFile, file]) if (one !== undefined) await sweepDrafts(one);
  if (file === undefined) return false;
  const present = await readToken(file);
  if (present === own || parseToken(present)?.kind === "boot") return false; // it enrols by itself
  const found = present === "" ? undefined : await ask(client, signal, present);
  if (found !== undefined) {
    const isLeft = found.runner_id !== runnerId || found.replaced_by === null;
    if (isLeft) return false;
    const isFormer = found.replaced_by === (await ask(client, signal))?.id;
    const made = isFormer ? undefined : await rotateOther(client, runnerId, present);
    if (made !== undefined) {
      await writeDurably(file, `${made.secret}\n`);
      return true;
    }
  }
  await giveToken(config, own);
  return true;
}

/** What the broker says of a token, this process's by default; undefined when it refuses it. */
async function ask(
  client: BrokerClient,
  signal: AbortSignal,
  token?: string,
): Promise<Token | undefined> {
  try {
    const how = { scope: "agent", isOnce: true, signal, token } as const;
    return (await client.call(getOwnTokenRoute, {}, how)).body;
  } catch (error) {
    if (error instanceof Refused && error.what === "unauthorized") return undefined;
    throw error;
  }
}

/** Where the token of this process is kept: the file that it was read from, or that of its enrolment. */
async function keeperOf(
  { dataDir, tokenFile }: TokenParts["config"],
  former: string,
): Promise<(made: NewToken) => Promise<void>> {
  const enrolled = await readEnrolled(dataDir);
  if (enrolled?.token === former) {
    return async ({ secret: token, expires_at }) =>
      await keepEnrolled(dataDir, { ...enrolled, token, expires_at });
  }
  if (tokenFile !== undefined && (await readToken(tokenFile)) === former) {
    return async ({ secret }) => await writeDurably(tokenFile, `${secret}\n`);
  }
  throw new Refusal(
    "The token of this process did not come from a file, so a new one could not be kept: use token-file.",
  );
}

async function renewAgents(
  { client, runnerId, config }: TokenParts,
  former: string,
  own: string,
): Promise<FetchedTokens["agent"]> {
  const file = config.mngAgentTokenFile;
  if (file === undefined) return "none";
  const present = await readToken(file);
  const isOther = present !== "" && present !== former && present !== own;
  if (parseToken(present)?.kind === "boot") return "none"; // it enrols by itself
  const made = isOther ? await rotateOther(client, runnerId, present) : undefined;
  if (made === undefined) await giveToken(config, own);
  else await writeDurably(file, `${made.secret}\n`);
  return made === undefined ? "shared" : "rotated";
}

/** Undefined when the broker refuses the token or has replaced it: the agent then gets another. */
async function rotateOther(
  client: BrokerClient,
  runnerId: string,
  token: string,
): Promise<NewToken | undefined> {
  try {
    const { body } = await client.call(getOwnTokenRoute, {}, { scope: "agent", token });
    if (body.runner_id !== runnerId) {
      throw new Refusal("The token in mng-agent-token-file is another runner's; it is left alone.");
    }
    return await rotate(client, token);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

async function rotate(client: BrokerClient, token?: string): Promise<NewToken> {
  const { body } = await client.call(rotateOwnTokenRoute, {}, { scope: "agent", token });
  return body;
}
