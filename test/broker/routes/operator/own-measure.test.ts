import { beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../../../../broker/accounts/create-account.ts";
import { findMember } from "../../../../broker/accounts/queries.ts";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import { createToken, type NewToken } from "../../../../broker/tokens/create-token.ts";
import type { Role } from "../../../../shared/api/roles.ts";
import type { Permission } from "../../../../shared/permissions.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });

type Refused = { readonly code: string; readonly detail: string };
const keeps: Permission[] = ["accounts.read", "accounts.write", "tokens.read", "tokens.write"];
const policies = (...permissions: Permission[]) => [{ name: "all", permissions }];

let org: OrgId;
let admin: string;
/** Keeps accounts and tokens, and may do nothing else. */
let keeper: string;
let role: Role;
const as =
  (token: string) =>
  <Body = Refused>(what: string, body?: unknown) =>
    call<Body & Refused>(what, { token, ...(body !== undefined && { body }) });
const makeRole = async (...permissions: Permission[]) => {
  const wanted = { title: "r", role_type: "org_admin", policies: policies(...permissions) };
  return (await as(admin)<Role>("POST /v1/roles", wanted)).body;
};
const member = async (...roles: string[]): Promise<string> => {
  const account = { accountType: "service", name: "", email: "", subject: "", createdById: "" };
  return (await createAccount(db, org, { ...account, roles })).id;
};
const rolesOf = async (id: string) => (await findMember(db, org, id, null))?.role_ids;
const mint = (token: Partial<NewToken>) =>
  createToken(db, org, { name: "t", kind: "sa", createdById: "", ...token });

beforeEach(async () => {
  const made = await bootstrapOrg(db, "Acme");
  [org, admin] = [made.orgId, made.adminToken];
  role = await makeRole(...keeps);
  keeper = (await mint({ role: "org_admin", roleId: role.id })).secret;
});
const wider = { status: 403, body: { code: "wider_than_own" } };

describe("who keeps accounts without being an admin", () => {
  test("neither gives nor takes a role that permits more", async () => {
    const other = await member("org_admin");
    const before = await rolesOf(other);
    const at = `/v1/accounts/${other}`;
    const api = as(keeper);
    expect(await api(`PUT ${at}/roles`, { roles: [role.id] })).toMatchObject(wider);
    expect(await api(`DELETE ${at}`)).toMatchObject(wider);
    expect(await rolesOf(other)).toEqual(before);
    const own = await member(role.id);
    const grown = await api(`PUT /v1/accounts/${own}/roles`, { roles: [role.id, "org_support"] });
    expect(grown).toMatchObject(wider);
    expect(await rolesOf(own)).toEqual([role.id]);
    expect(await api("POST /v1/accounts", { roles: ["org_read_only"] })).toMatchObject(wider);
  });

  test("gives and takes what it has itself, beside what it lets be", async () => {
    const other = await member("org_admin");
    const at = `/v1/accounts/${other}/roles`;
    const both = { roles: ["org_admin", role.id] };
    expect((await as(keeper)(`PUT ${at}`, both)).status).toBe(200);
    expect(await rolesOf(other)).toHaveLength(2);
    expect((await as(keeper)(`PUT ${at}`, { roles: ["org_admin"] })).status).toBe(200);
    expect(await rolesOf(other)).toHaveLength(1);
    const gone = await member(role.id);
    expect((await as(keeper)(`DELETE /v1/accounts/${gone}`)).status).toBe(204);
  });

  test("changes no role that permits more, before or after", async () => {
    const above = await makeRole("accounts.read", "installs.read");
    const change = (body: object, id = above.id) => as(keeper)(`PATCH /v1/roles/${id}`, body);
    expect(await change({ policies: policies("accounts.read") })).toMatchObject(wider);
    expect(await change({ policies: policies("installs.write") }, role.id)).toMatchObject(wider);
    expect((await change({ title: "renamed" })).status).toBe(200);
    const rest = { policies: policies("accounts.read", "installs.read") };
    expect(await change(rest)).toMatchObject(wider);
    expect((await change({ policies: policies("accounts.read") }, role.id)).status).toBe(200);
  });

  test("neither sends nor prolongs nor revokes an invitation that gives more", async () => {
    const home = (await bootstrapOrg(db, "Home")).orgId;
    const account = { accountType: "auth", name: "", email: "", subject: "", createdById: "" };
    const { id } = await createAccount(db, home, { ...account, roles: ["org_admin"] });
    const path = "/v1/orgs/current/invites";
    const wanted = { account_id: id, roles: ["org_admin"] };
    expect(await as(keeper)(`POST ${path}`, wanted)).toMatchObject(wider);
    const invite = (await as(admin)<{ id: string }>(`POST ${path}`, wanted)).body.id;
    expect(await as(keeper)(`POST ${path}/${invite}/resend`, {})).toMatchObject(wider);
    expect(await as(keeper)(`POST ${path}/${invite}/revoke`)).toMatchObject(wider);
    expect((await as(admin)(`POST ${path}/${invite}/revoke`)).status).toBe(200);
    const less = { account_id: id, roles: [role.id] };
    const own = (await as(keeper)<{ id: string }>(`POST ${path}`, less)).body.id;
    expect((await as(keeper)(`POST ${path}/${own}/revoke`)).status).toBe(200);
  });

  test("neither takes over nor revokes a token that permits more", async () => {
    const accountId = await member("org_admin");
    const tokens = [
      await mint({ role: "org_admin" }),
      await mint({ kind: "pat", accountId }), // all that its account may
      await mint({ role: "org_read_only", grants: ["plans.secrets"] }),
    ];
    for (const { row, secret } of tokens) {
      expect(await as(keeper)(`POST /v1/tokens/${row.id}/rotate`)).toMatchObject(wider);
      expect(await as(keeper)(`DELETE /v1/tokens/${row.id}`)).toMatchObject(wider);
      expect((await as(secret)("GET /v1/tokens/current")).status).toBe(200);
    }
    const like = await mint({ role: "org_admin", roleId: role.id });
    const rotated = await as(keeper)<{ id: string }>(`POST /v1/tokens/${like.row.id}/rotate`);
    expect(rotated.status).toBe(201);
    expect((await as(keeper)(`DELETE /v1/tokens/${rotated.body.id}`)).status).toBe(200);
  });
});

test("a person's narrowed token makes none that is bound and has all of the account", async () => {
  const accountId = await member("org_admin");
  const { secret } = await mint({
    kind: "pat",
    accountId,
    role: "org_admin",
    roleId: role.id,
    reach: "account",
  });
  const app = (await as(admin)<{ id: string }>("POST /v1/apps", { name: "shop" })).body.id;
  const bound = {
    name: "t",
    kind: "pat",
    account_id: accountId,
    bound_type: "apps",
    bound_id: app,
  };
  expect(await as(secret)("POST /v1/tokens", bound)).toMatchObject(wider);
});

test("who is given a role that is being deleted gets it or hears of that, and never a fault", async () => {
  const seen: (readonly [number, string])[] = [];
  for (let n = 0; n < 12; n++) {
    const { id } = await makeRole("accounts.read");
    const made = [1, 2, 3].map((k) =>
      k === 3
        ? as(admin)("POST /v1/tokens", { name: "t", role_id: id })
        : as(admin)("POST /v1/accounts", { name: `a${k}`, roles: [id] }),
    );
    const gone = as(admin)(`DELETE /v1/roles/${id}`);
    for (const { status, body } of await Promise.all([...made, gone]))
      seen.push([status, status < 400 ? "" : body.code]);
  }
  const told = [...new Set(seen.map((one) => one.join(" ")))];
  const known = ["201 ", "204 ", "409 reference_gone", "409 role_in_use"];
  const gone = ["422 invalid", "404 not_found"]; // deleted before it was looked up
  expect(told.filter((one) => ![...known, ...gone].includes(one))).toEqual([]);
});
