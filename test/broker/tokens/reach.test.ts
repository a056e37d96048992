import { beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "../../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { createToken } from "../../../broker/tokens/create-token.ts";
import { type TestBroker, startBroker } from "../../support/broker.ts";
import { testDatabase } from "../../support/database.ts";

type Minted = { id: string; secret: string; code?: string };

describe("an org's admin", () => {
  let broker: TestBroker;
  let mine: string;
  let theirs: string;
  /** Admin of `mine` only. */
  let admin: string;
  /** An account with a role in both orgs, and its own admin token. */
  let colleague: string;
  let colleagueTokenId: string;

  beforeAll(async () => {
    const { db, url } = await testDatabase();
    broker = await startBroker({ url });
    const first = await bootstrapOrg(db, "mine");
    const second = await bootstrapOrg(db, "theirs");
    mine = first.orgId;
    theirs = second.orgId;
    const by = { accountType: "auth" as const, name: "", email: "", createdById: "" };
    const roles = ["org_admin" as const];
    const me = await createAccount(db, first.orgId, { ...by, subject: "me", roles });
    const token = { name: "t", kind: "pat" as const, accountId: me.id, createdById: me.id };
    admin = (await createToken(db, first.orgId, token)).secret;
    const other = await createAccount(db, first.orgId, { ...by, subject: "other", roles });
    colleague = other.id;
    await db`
      insert into account_roles (account_id, org_id, role_id)
      select ${colleague}, ${theirs}, role_id from account_roles where account_id = ${colleague}`;
    const own = { name: "o", kind: "pat" as const, accountId: colleague, createdById: colleague };
    const all = await createToken(db, first.orgId, { ...own, tokenType: "admin" });
    colleagueTokenId = all.row.id;
  });

  const read = (token: string, org: string) =>
    broker.call("GET /v1/orgs/current", { token, headers: { "x-svc-org-id": org } });

  it("reaches its own org only", async () => {
    expect((await read(admin, mine)).status).toBe(200);
    expect((await read(admin, theirs)).status).toBe(404);
  });

  it("cannot make a token for a colleague, which would reach the colleague's other orgs", async () => {
    const body = { name: "for you", kind: "pat", account_id: colleague };
    const made = await broker.call<Minted>("POST /v1/tokens", { token: admin, body });
    expect(made).toMatchObject({ status: 403, body: { code: "admin_only" } });
  });

  it("cannot make a colleague's token its own by rotating it", async () => {
    const path = `POST /v1/tokens/${colleagueTokenId}/rotate`;
    const rotated = await broker.call<Minted>(path, { token: admin });
    expect(rotated).toMatchObject({ status: 403, body: { code: "admin_only" } });
  });
});
