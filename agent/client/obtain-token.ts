import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { enrolRoute } from "../../shared/api/enrolment.ts";
import { parseToken } from "../../shared/token.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import type { BrokerClient } from "./broker-client.ts";
import { type EnrolledToken, keepEnrolled, readEnrolled } from "./enrolled-token.ts";
import { exposingAncestor } from "./exposed-token.ts";

/** The token that was given, or the runner's token that it was exchanged for. */
export type ObtainedToken = { readonly token: string; readonly runnerId: string | undefined };

/** Reads the configured token: from its file, else from the environment; undefined when there is none. */
export function readGivenToken(
  config: Pick<AgentConfig, "tokenFile" | "token">,
): string | undefined {
  if (config.tokenFile === undefined) return unexposed(config.token);
  try {
    return readFileSync(config.tokenFile, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExitError("config", `The token in ${config.tokenFile} cannot be read (${code}).`);
  }
}

function unexposed(token: string | undefined): string | undefined {
  const pid = token === undefined ? undefined : exposingAncestor(token);
  if (pid === undefined) return token;
  const words = `The token is in the environment of the parent process ${pid}, where jobs can read it`;
  throw new ExitError("config", `${words}. Pass it in a file, with --token-file.`);
}

/** After an enrolment a missing token file is accepted: it held the enrolment token. */
function givenUnlessEnrolled(
  config: Pick<AgentConfig, "tokenFile" | "token">,
  kept: EnrolledToken | undefined,
): string | undefined {
  const isGone = config.tokenFile !== undefined && !existsSync(config.tokenFile);
  return kept !== undefined && isGone ? undefined : readGivenToken(config);
}

/**
 * Obtains the runner's token: the configured one; for an enrolment token the one that it is exchanged for, which is
 * stored durably before it is used; without a configured token that of an earlier enrolment.
 */
export async function obtainToken(
  config: Pick<AgentConfig, "tokenFile" | "token" | "dataDir">,
  client: (token: string) => BrokerClient,
  how: { readonly signal: AbortSignal; readonly giveUpAfterMs: number | undefined },
): Promise<ObtainedToken> {
  const kept = await readEnrolled(config.dataDir);
  const given = givenUnlessEnrolled(config, kept);
  if (given === undefined) {
    if (kept !== undefined) return { token: kept.token, runnerId: kept.runner_id };
    throw new ExitError("config", "No token was given: set --token-file.");
  }
  const kind = parseToken(given)?.kind;
  if (kind === undefined) throw new ExitError("config", "The given token is not a svc token.");
  if (kind !== "boot") return { token: given, runnerId: undefined };
  const enrolledBy = hash("sha256", given);
  if (kept?.enrolled_by === enrolledBy) return { token: kept.token, runnerId: kept.runner_id };
  const { body } = await client(given).call(enrolRoute, {}, { scope: "agent", ...how });
  const enrolled = {
    token: body.secret,
    runner_id: body.runner_id ?? "",
    enrolled_by: enrolledBy,
    expires_at: body.expires_at,
  };
  await keepEnrolled(config.dataDir, enrolled);
  return { token: enrolled.token, runnerId: enrolled.runner_id };
}

/**
 * Finds the token that an agent with these settings would use, without calling the broker; an unused enrolment token
 * is returned as it is.
 */
export async function findToken(
  config: Pick<AgentConfig, "tokenFile" | "token" | "dataDir">,
): Promise<string | undefined> {
  const kept = await readEnrolled(config.dataDir);
  const given = givenUnlessEnrolled(config, kept);
  if (given === undefined || kept?.enrolled_by === hash("sha256", given))
    return kept?.token ?? given;
  return given;
}
