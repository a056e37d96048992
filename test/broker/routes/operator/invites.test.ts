import { beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../../../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import { createToken } from "../../../../broker/tokens/create-token.ts";
import type { Account } from "../../../../shared/api/account.ts";
import type { Invite } from "../../../../shared/api/invites.ts";
import type { Org } from "../../../../shared/api/orgs.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { advanceClock } from "../../../support/database/clock.ts";
import { testDatabase } from "../../../support/database/database.ts";
import { givenToken } from "../../../support/rows/given-token.ts";

type Page<Item> = { items: Item[] };

const { db, url } = await testDatabase();
const broker = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });

let home: OrgId; // of the person
let host: OrgId; // who invites
let admin: string; // of the host
let person: Awaited<ReturnType<typeof givenPerson>>;

beforeEach(async () => {
  home = (await bootstrapOrg(db, "Home")).orgId;
  const first = await bootstrapOrg(db, "Host");
  [host, admin] = [first.orgId, first.adminToken];
  person = await givenPerson();
});

async function givenPerson() {
  const account = { accountType: "auth", name: "Ann", email: "", subject: "", createdById: "" };
  const { id } = await createAccount(db, home, { ...account, roles: ["org_read_only"] });
  const own = { name: "t", kind: "pat", accountId: id, createdById: id, reach: "account" } as const;
  return { id, token: (await createToken(db, home, own)).secret };
}

const path = "/v1/orgs/current/invites";
const invite = (body: object = {}, token = admin) =>
  broker.call<Invite & { code: string }>(`POST ${path}`, {
    token,
    body: { account_id: person.id, roles: ["org_builder"], ...body },
  });
const accept = (id: string, token = person.token) =>
  broker.call<Invite & { code: string }>(`POST /v1/account/invites/${id}/accept`, { token });
const inOrg = (org: OrgId) => ({ headers: { "x-svc-org-id": org } });

describe("an invitation", () => {
  test("whose role was deleted meanwhile is not accepted and not sent again, and says so", async () => {
    const role = {
      title: "Short",
      role_type: "org_support",
      policies: [{ name: "all", permissions: ["orgs.read"] }],
    };
    const make = async () =>
      (await broker.call<{ id: string }>("POST /v1/roles", { token: admin, body: role })).body.id;
    const gone = { status: 409, body: { code: "invite_role_gone" } };
    const roleId = await make();
    const late = (await invite({ roles: ["org_builder", roleId] })).body.id;
    await db`delete from roles where id = ${roleId}`; // in the very instant in which it was made
    expect(await accept(late)).toMatchObject(gone);
    const members = () =>
      db`select from account_roles where org_id = ${host} and account_id = ${person.id}`;
    expect(await members()).toHaveLength(0);
    expect((await broker.call(`POST ${path}/${late}/revoke`, { token: admin })).status).toBe(200);
    const nextRole = await make();
    const old = (await invite({ roles: [nextRole] })).body.id;
    await advanceClock(db, "31 days");
    expect(
      (await broker.call(`DELETE /v1/roles/${nextRole}`, { token: admin })).status,
    ).toBeLessThan(300);
    expect(
      await broker.call(`POST ${path}/${old}/resend`, { token: admin, body: {} }),
    ).toMatchObject(gone);
    expect(await accept(old)).toMatchObject({ status: 409 });
    expect(await members()).toHaveLength(0);
  });

  test("makes an account a member of another org, where its own token then acts by its roles there", async () => {
    const { status, body: made } = await invite();
    expect(status).toBe(201);
    expect(made).toMatchObject({ status: "pending", org_name: "Host", account_id: person.id });
    const call = <Body>(what: string, org = host) =>
      broker.call<Body>(what, { token: person.token, ...inOrg(org) });
    expect((await call("GET /v1/orgs/current")).status).toBe(404);
    const mine = await call<Page<Invite>>("GET /v1/account/invites", home);
    expect(mine.body.items).toEqual([made]);
    expect(await accept(made.id)).toMatchObject({ status: 200, body: { status: "accepted" } });
    expect((await call<Org>("GET /v1/orgs/current")).body.name).toBe("Host");
    const me = await call<Account>("GET /v1/account");
    expect(me.body).toMatchObject({
      id: person.id,
      permissions: { [home]: { "apps.read": "allow" }, [host]: { "apps.write": "allow" } },
      org_ids: [home, host].toSorted(),
      roles: [{ role_type: "org_builder" }],
    });
    expect(me.body.permissions[home]).not.toHaveProperty(["apps.write"]);
    expect((await call("GET /v1/general/current-user")).body).toEqual(me.body);
    expect((await call("GET /v1/auth/me")).body).toEqual({ ...me.body, identities: [] });
    expect((await call("GET /v1/auth/validate")).body).toEqual({ valid: true });
    expect((await call<Account>("GET /v1/account", home)).body.roles).toMatchObject([
      { role_type: "org_read_only" },
    ]);
    const read = (token: string, org: OrgId) =>
      broker.call<Account>(`GET /v1/accounts/${person.id}`, { token, ...inOrg(org) });
    expect((await read(admin, host)).body.org_ids).toEqual([host]); // the host's admin is not in the other
    expect((await read(person.token, host)).body.org_ids).toEqual([home, host].toSorted());
    expect((await broker.call("GET /v1/orgs", { token: person.token })).body).toMatchObject({
      items: [{ id: host }, { id: home }],
    });
  });

  test("is accepted once, in time, unless it was revoked", async () => {
    const first = await invite();
    expect((await accept(first.body.id)).status).toBe(200);
    expect(await accept(first.body.id)).toMatchObject({
      status: 409,
      body: { code: "invite_used" },
    });
    expect(await invite()).toMatchObject({ status: 409, body: { code: "already_member" } });
    const change = (id: string, verb: string, body = {}) =>
      broker.call<Invite>(`POST ${path}/${id}/${verb}`, { token: admin, body });
    expect(await change(first.body.id, "revoke")).toMatchObject({ body: { code: "invite_used" } });
    person = await givenPerson();
    const second = await invite();
    expect(await invite()).toMatchObject({ status: 409, body: { code: "already_invited" } });
    for (let turn = 0; turn < 2; turn++)
      expect(await change(second.body.id, "revoke")).toMatchObject({
        status: 200,
        body: { status: "revoked" },
      });
    expect(await accept(second.body.id)).toMatchObject({
      status: 409,
      body: { code: "invite_revoked" },
    });
    const third = await invite({ expires_in: "1h" });
    await advanceClock(db, "61 min");
    expect(await accept(third.body.id)).toMatchObject({
      status: 409,
      body: { code: "invite_expired" },
    });
    expect(await change(third.body.id, "resend")).toMatchObject({ body: { status: "pending" } });
    expect((await accept(third.body.id)).status).toBe(200);
    const { body } = await broker.call<Page<Invite>>(`GET ${path}`, { token: admin });
    expect(body.items.map(({ status }) => status)).toEqual(["accepted", "revoked", "accepted"]);
  });

  test("is one account's alone, and needs that account's own token", async () => {
    const { body: made } = await invite();
    const other = await givenPerson();
    expect(await accept(made.id, other.token)).toMatchObject({
      status: 403,
      body: { code: "not_your_invite" },
    });
    const orgs = await givenToken(db, { orgId: home });
    expect(await accept(made.id, orgs)).toMatchObject({
      status: 403,
      body: { code: "no_account" },
    });
    expect((await accept("inv_00000000000000000000000000")).status).toBe(404);
    const foreign = await givenToken(db, { orgId: home });
    expect(
      (await broker.call(`POST ${path}/${made.id}/revoke`, { token: foreign, body: {} })).status,
    ).toBe(404);
  });

  test("gives no more than its maker has, and only to accounts and roles that there are", async () => {
    const support = await givenToken(db, { orgId: host, role: "org_support" });
    expect((await invite({}, support)).status).toBe(403);
    expect(await invite({ account_id: "acc_1" })).toMatchObject({
      body: { errors: [{ pointer: "#/account_id", code: "account_not_found" }] },
    });
    expect(await invite({ roles: ["king"] })).toMatchObject({
      body: { errors: [{ code: "role_not_found" }] },
    });
    expect(await invite({ expires_in: "10s" })).toMatchObject({ status: 422 });
  });

  test("is told in the audit logs of both orgs when it is accepted", async () => {
    const { body: made } = await invite();
    await accept(made.id);
    await broker.broker.audit.flush();
    for (const org of [home, host])
      expect(
        await db`select action, account_id, outcome from audit_events
                  where org_id = ${org} and action = 'acceptInvite'`,
      ).toEqual([{ action: "acceptInvite", account_id: person.id, outcome: "allowed" }]);
  });
});
