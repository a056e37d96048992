import type { OrgId } from "../../../broker/orgs/org-id.ts";
import type { RunnerGroup, Runner } from "../../../shared/api/runner.ts";
import type { RoleType } from "../../../shared/permissions.ts";
import { testDatabase, type TestDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenOrg } from "../rows/given.ts";
import { startBroker, type Answer, type Call } from "./broker.ts";

/** An org's operator at a broker of its own. */
export type GivenOperator = {
  readonly db: TestDatabase["db"];
  readonly broker: Awaited<ReturnType<typeof startBroker>>;
  readonly orgId: OrgId;
  readonly token: string;
  /** A call with the operator's token, unless told another. */
  readonly call: <Body = Record<string, unknown>>(
    what: string,
    call?: Call,
  ) => Promise<Answer<Body>>;
  readonly createGroup: (group?: object) => Promise<RunnerGroup>;
  /** A runner made through the API, in a group of its own unless told. */
  readonly createRunner: (runner?: object) => Promise<Runner & { given: GivenRunner }>;
};

let count = 0;

/** A database, a broker over it, an org and the token of its admin, or of who has the role. */
export async function givenOperator(
  role: RoleType = "org_admin",
  given: Partial<TestDatabase> & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<GivenOperator> {
  const { url, db } =
    given.url && given.db ? { url: given.url, db: given.db } : await testDatabase();
  const broker = await startBroker({ url, ...(given.env && { env: given.env }) });
  const orgId = await givenOrg(db);
  const token = await givenToken(db, { orgId, role });
  const call: GivenOperator["call"] = (what, asked) => broker.call(what, { token, ...asked });
  const create = async <Made>(path: string, body: object): Promise<Made> => {
    const answer = await call<Made>(`POST ${path}`, { body });
    if (answer.status !== 201) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const createGroup: GivenOperator["createGroup"] = (group) =>
    create("/v1/runner-groups", { type: "install", platform: "aws", ...group });
  const createRunner: GivenOperator["createRunner"] = async (runner = {}) => {
    const groupId =
      "runner_group_id" in runner ? String(runner.runner_group_id) : (await createGroup()).id;
    const body = { name: `runner ${++count}`, ...runner, runner_group_id: groupId };
    const made = await create<Runner>("/v1/runners", body);
    return { ...made, given: { orgId, groupId, runnerId: made.id } };
  };
  return { db, broker, orgId, token, call, createGroup, createRunner };
}
