import type { Db } from "../../../broker/database/connect.ts";
import { givenToken } from "./given-token.ts";
import { type GivenRunner, givenRunner } from "./given.ts";

export type RunnerTokens = GivenRunner & {
  /** The secret of an admin of its org. */
  readonly admin: string;
  /** The runner's own. */
  readonly token: string;
};

/** A new runner, and who may speak for it. */
export async function givenRunnerTokens(
  db: Db,
  given: Parameters<typeof givenRunner>[1] = {},
): Promise<RunnerTokens> {
  const runner = await givenRunner(db, given);
  const { orgId, runnerId } = runner;
  const admin = await givenToken(db, { orgId });
  return { ...runner, admin, token: await givenToken(db, { orgId, runnerId }) };
}
