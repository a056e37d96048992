import { expect, test } from "vitest";
import { createAccount } from "../../../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import { createToken } from "../../../../broker/tokens/create-token.ts";
import type { Account } from "../../../../shared/api/account.ts";
import type { Invite } from "../../../../shared/api/invites.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { advanceClock } from "../../../support/database/clock.ts";
import { testDatabase } from "../../../support/database/database.ts";
import { givenToken } from "../../../support/rows/given-token.ts";

type Told = Invite & {
  readonly secret: string;
  readonly code: string;
  readonly errors: readonly { readonly pointer: string; readonly code: string }[];
};

const { db, url } = await testDatabase();
const broker = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
const path = "/v1/orgs/current/invites";

async function givenPerson(org: OrgId, role: "org_admin" | "org_read_only" = "org_read_only") {
  const account = { accountType: "auth", name: "Ann", email: "", subject: "", createdById: "" };
  const { id } = await createAccount(db, org, { ...account, roles: [role] });
  const own = { name: "t", kind: "pat", accountId: id, createdById: id, reach: "account" } as const;
  return { id, token: (await createToken(db, org, own)).secret };
}

async function setup() {
  const { orgId: home } = await bootstrapOrg(db, "Home");
  const { orgId: host, adminToken: admin } = await bootstrapOrg(db, "Host");
  const person = await givenPerson(home);
  const call = (what: string, token: string, body: object = {}, key?: string) =>
    broker.call<Told>(what, {
      token,
      body,
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  const invite = (
    body: object = {},
    { token = admin, key }: { token?: string; key?: string } = {},
  ) => call(`POST ${path}`, token, { email: "ann@example.com", ...body }, key);
  const accept = (id: string, secret?: string, token = person.token) =>
    call(`POST /v1/account/invites/${id}/accept`, token, secret === undefined ? {} : { secret });
  const resend = (id: string, token = admin) => call(`POST ${path}/${id}/resend`, token);
  const list = async (token = admin) =>
    (await broker.call<{ items: Told[] }>(`GET ${path}`, { token })).body.items;
  return { home, host, admin, person, call, invite, accept, resend, list };
}

const refused = { status: 403, body: { code: "not_your_invite" } };

test("an address is invited by an address alone, and whoever has an account and the secret is a member, once", async () => {
  const { home, host, person, invite, accept, resend, list } = await setup();
  const { status, body: made } = await invite();
  expect(status).toBe(201);
  expect(made).toMatchObject({
    email: "ann@example.com",
    account_id: "",
    status: "pending",
    status_v2: { status: "pending" },
    role_type: "org_read_only",
  });
  expect(await invite({ email: "ANN@example.com" })).toMatchObject({
    status: 409,
    body: { code: "already_invited" },
  });
  expect(await accept(made.id)).toMatchObject(refused);
  expect(await accept(made.id, `${made.secret}x`)).toMatchObject(refused);
  const foreign = (await setup()).person.token; // who may accept any, but has no secret
  expect(await accept(made.id, "svc_inv_x", foreign)).toMatchObject(refused);
  expect(await accept(made.id, made.secret)).toMatchObject({
    status: 200,
    body: { status: "accepted", account_id: person.id, status_v2: { status: "success" } },
  });
  const me = await broker.call<Account>("GET /v1/account", { token: person.token });
  expect(me.body.org_ids).toEqual([home, host].toSorted());
  expect(await accept(made.id, made.secret, foreign)).toMatchObject(refused);
  expect(await accept(made.id, made.secret)).toMatchObject({ body: { code: "invite_used" } });
  expect(await resend(made.id)).toMatchObject({ body: { code: "invite_used" } });
  const [listed] = await list();
  expect(listed).toMatchObject({ id: made.id, email: "ann@example.com" });
  expect(listed).not.toHaveProperty("secret");
  expect(broker.logged.join("")).not.toContain(made.secret);
});

test("a resent one has another secret, one that is revoked or has expired has none that is worth anything", async () => {
  const { admin, call, invite, accept, resend } = await setup();
  const { body: first } = await invite();
  const { body: second } = await resend(first.id);
  expect(second.secret).toMatch(/^svc_inv_/);
  expect(await accept(first.id, first.secret)).toMatchObject(refused);
  await advanceClock(db, "8 days");
  expect(await accept(first.id, second.secret)).toMatchObject({ body: { code: "invite_expired" } });
  const { body: third } = await invite(); // makes way
  expect((await call(`POST ${path}/${third.id}/revoke`, admin)).status).toBe(200);
  expect(await accept(third.id, third.secret)).toMatchObject({ body: { code: "invite_revoked" } });
});

test("a secret is told once, also to who repeats the request by its key", async () => {
  const { invite } = await setup();
  expect((await invite({}, { key: "k" })).status).toBe(201);
  expect(await invite({}, { key: "k" })).toMatchObject({
    status: 409,
    body: { code: "secret_told_already" },
  });
  const kept = await db`select from idempotency_keys where body::text like '%svc_inv_%'`;
  expect(kept).toHaveLength(0);
});

test("nobody gives by it what they may not give, when they send it and when it is accepted; and members get nothing by it", async () => {
  const { home, host, admin, person, call, invite, accept } = await setup();
  const builder = await givenToken(db, { orgId: host, role: "org_builder" });
  expect((await invite({ role_type: "org_admin" }, { token: builder })).status).toBe(403);
  const maker = await givenPerson(host, "org_admin");
  const { body: made } = await invite({ role_type: "org_admin" }, { token: maker.token });
  expect(await accept(made.id, made.secret, maker.token)).toMatchObject({
    status: 409,
    body: { code: "already_member" },
  });
  await call(`PUT /v1/accounts/${maker.id}/roles`, admin, { roles: ["org_read_only"] });
  expect(await accept(made.id, made.secret)).toMatchObject({
    status: 409,
    body: { code: "inviter_lacks_role" },
  });
  expect((await call(`POST ${path}/${made.id}/resend`, maker.token)).status).toBe(403);
  const { body: again } = await call(`POST ${path}/${made.id}/resend`, admin);
  const orgs = await givenToken(db, { orgId: home });
  expect(await accept(made.id, again.secret, orgs)).toMatchObject({ body: { code: "no_account" } });
  expect(await accept(made.id, again.secret, person.token)).toMatchObject({ status: 200 });
});

test.each([
  [{ email: "" }, "#/email", "Must be an email address"],
  [{ email: "ann" }, "#/email", "Must be an email address"],
  [{ email: "a b@example.com" }, "#/email", "Must be an email address"],
  [{ email: "ann@example.com\nBcc: all@example.com" }, "#/email", "Must be an email address"],
  [{ email: `${"a".repeat(250)}@example.com` }, "#/email", "254"],
  [{ account_id: "acc_1" }, "#/email", "either account_id or email"],
  [{ role_type: "org_admin", roles: ["org_admin"] }, "#/roles", "either roles or role_type"],
])("%j is refused in one sentence", async (body, pointer, words) => {
  const { invite } = await setup();
  const { status, body: problem } = await invite(body);
  expect(status).toBe(422);
  expect(problem.errors).toMatchObject([
    { pointer, detail: expect.stringContaining(words) as string },
  ]);
});
