import { createAccount } from "../../../broker/accounts/create-account.ts";
import type { Db } from "../../../broker/database/connect.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { createToken, type NewToken } from "../../../broker/tokens/create-token.ts";
import type { TokenWithSecret } from "../../../broker/tokens/row.ts";
import { tokenDigest } from "../../../broker/tokens/token-secret.ts";
import { roleTypes } from "../../../shared/permissions.ts";
import { jobToken, mintJobSecret } from "../../../shared/token.ts";
import { testDatabase } from "../database/database.ts";
import { type GivenRunner, givenExecution, givenProcess, givenRunner } from "../rows/given.ts";
import { type Answer, type Call, startBroker, type TestBroker } from "./broker.ts";

export type GivenCallers = {
  readonly broker: TestBroker;
  readonly mine: OrgId;
  readonly theirs: OrgId;
  readonly runnerId: string;
  /** An admin of `mine` only. */
  readonly me: string;
  /** An admin of both orgs. */
  readonly colleague: string;
  /** The secret of each kind of caller in `mine`, by its name. */
  readonly secretOf: (caller: string) => string;
  /** A call by one of them. */
  readonly callAs: <Body>(caller: string, what: string, call?: Call) => Promise<Answer<Body>>;
  /** An account that is admin of these orgs, `mine` among them. */
  readonly givenAdmin: (subject: string, orgs: readonly OrgId[]) => Promise<string>;
  /** A person's own token. */
  readonly ownToken: (account: string, token?: Partial<NewToken>) => Promise<TokenWithSecret>;
};

/** Two orgs, and in the first every kind of caller that there is. */
export async function givenCallers(): Promise<GivenCallers> {
  const { db, url } = await testDatabase();
  const broker = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
  const mine = (await bootstrapOrg(db, "mine")).orgId;
  const theirs = (await bootstrapOrg(db, "theirs")).orgId;
  const givenAdmin: GivenCallers["givenAdmin"] = async (subject, orgs) => {
    const account = { accountType: "auth", name: "", email: "", createdById: "", subject };
    const { id } = await createAccount(db, mine, { ...account, roles: ["org_admin"] });
    await db`
      insert into account_roles (account_id, org_id, role_id)
      select account_id, org, role_id from account_roles, unnest(${[...orgs]}::text[]) org
       where account_id = ${id} on conflict do nothing`;
    return id;
  };
  const ownToken: GivenCallers["ownToken"] = async (accountId, token) => {
    const own = { name: "t", kind: "pat", accountId, createdById: accountId } as const;
    return await createToken(db, mine, { ...own, reach: "account", ...token });
  };
  const [me, colleague] = [await givenAdmin("me", [mine]), await givenAdmin("you", [mine, theirs])];
  const runner = await givenRunner(db, { orgId: mine });
  const secrets = new Map([
    ["a person that is admin", (await ownToken(me)).secret],
    ["a person with a token of type admin", (await ownToken(me, { tokenType: "admin" })).secret],
    ["a person's token narrowed to a role", (await ownToken(me, { role: "org_admin" })).secret],
    ["a job's token", await givenJobToken(db, runner)],
  ]);
  const tokens = orgTokens(runner.runnerId, colleague);
  for (const [caller, token] of Object.entries(tokens)) {
    const made = await createToken(db, mine, { name: "t", createdById: "", ...token });
    secrets.set(caller, made.secret);
  }
  const secretOf = (caller: string): string => {
    const secret = secrets.get(caller);
    if (secret === undefined) throw new Error(`no token for ${caller}`);
    return secret;
  };
  const callAs: GivenCallers["callAs"] = (caller, what, call) =>
    broker.call(what, { token: secretOf(caller), ...call });
  const { runnerId } = runner;
  const path = `POST /v1/runners/${runnerId}/enrolment-tokens`;
  const boot = await callAs<{ secret: string }>("a person that is admin", path);
  secrets.set("a one-shot token", boot.body.secret);
  const given = { broker, mine, theirs, runnerId, me, colleague };
  return { ...given, secretOf, callAs, givenAdmin, ownToken };
}

type OrgToken = Omit<NewToken, "name" | "createdById">;

/** The org's own tokens, by what they are. */
function orgTokens(runnerId: string, colleague: string): Record<string, OrgToken> {
  const role = "org_admin";
  const others = roleTypes.filter((one) => one !== "runner" && one !== "org_admin");
  return {
    "an org's token": { kind: "sa", role },
    "an org's token that names a colleague's account": { kind: "sa", role, accountId: colleague },
    "an org's token of type admin": { kind: "sa", role, tokenType: "admin" },
    "a pat that an admin made for a colleague": { kind: "pat", accountId: colleague },
    "a runner's token": { kind: "rt", runnerId },
    ...Object.fromEntries(others.map((one) => [one, { kind: "sa", role: one } as const])),
  };
}

/** The token of a job that is under way. */
async function givenJobToken(db: Db, runner: GivenRunner): Promise<string> {
  const processId = await givenProcess(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  const secret = mintJobSecret();
  await db`
    update runner_job_executions set token_digest = ${tokenDigest(secret)} where id = ${executionId}`;
  return jobToken(jobId, secret);
}
