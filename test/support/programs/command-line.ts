import type { Db } from "../../../broker/database/connect.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { startBroker } from "../broker/broker.ts";
import { testDatabase } from "../database/database.ts";
import { type GivenRunner, givenRunner } from "../rows/given.ts";
import { type SvcResult, svc } from "./svc.ts";

export type CommandLine = {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly url: string;
  readonly token: string;
  readonly runner: GivenRunner;
  /** Runs a command line, its words given as they are typed, against the broker as its admin. */
  readonly run: (line: string, input?: string) => Promise<SvcResult>;
};

/** A broker with an org, its admin and a runner. */
export async function startCommandLine(): Promise<CommandLine> {
  const { url: databaseUrl, db } = await testDatabase();
  const { url } = await startBroker({ url: databaseUrl });
  const { orgId, adminToken: token } = await bootstrapOrg(db, "Acme");
  const runner = await givenRunner(db, { orgId });
  const env = { SVC_URL: url, SVC_TOKEN: token };
  const run = async (line: string, input?: string) =>
    await svc(line.split(" "), { env, ...(input !== undefined && { input }) });
  return { db, databaseUrl, url, token, runner, run };
}
