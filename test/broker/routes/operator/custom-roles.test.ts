import { beforeEach, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import type { OrgAccount } from "../../../../shared/api/accounts.ts";
import type { Role } from "../../../../shared/api/roles.ts";
import type { Token } from "../../../../shared/api/tokens.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";

type Refused = { code: string; detail: string; errors: { pointer: string; code: string }[] };
type MadeToken = Token & { secret: string };

const { db, url } = await testDatabase();
const broker = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
let org: OrgId;
let admin: string;

beforeEach(async () => {
  const first = await bootstrapOrg(db, "Acme");
  [org, admin] = [first.orgId, first.adminToken];
});

const as =
  (token: string) =>
  <Body = Refused>(what: string, body?: unknown) =>
    broker.call<Body & Refused>(what, { token, ...(body !== undefined && { body }) });
const approver = {
  title: "Approver",
  role_type: "org_support",
  policies: [
    { name: "reads", permissions: ["workflows.read", "orgs.read"] },
    { name: "answers", permissions: ["approvals.respond"] },
  ],
};
const left = ["approvals.respond", "orgs.read", "workflows.read"];
const makeRole = (body: object = {}, token = admin) =>
  as(token)<Role>("POST /v1/roles", { ...approver, ...body });

test("an org has a hundred roles of its own at most, also when two come at once", async () => {
  await db`insert into roles (id, org_id, role_type, title, applies_to, assignable)
           select 'rol_9' || lpad(n::text, 25, '0'), ${org}, 'org_support', 'r' || n, applies_to, true
             from generate_series(1, 99) n cross join (select applies_to from roles where managed and role_type = 'org_support') m`;
  const answers = await Promise.all([makeRole(), makeRole()]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect(answers.map(({ body }) => body.code)).toContain("too_many_roles");
});

describe("a role of an org", () => {
  test("permits what its policies leave of a managed one, to accounts and to tokens", async () => {
    const api = as(admin);
    const { status, body: role } = await makeRole();
    expect(status).toBe(201);
    expect(role).toMatchObject({
      org_id: org,
      managed: false,
      role_type: "org_support",
      createdBy: { name: "admin", account_type: "service" },
    });
    expect(role.permissions.toSorted()).toEqual(left);
    expect(role.policies.map(({ title }) => title)).toEqual(["answers", "reads"]);
    const made = await api<MadeToken>("POST /v1/tokens", { name: "a", role_id: role.id });
    expect(made.body).toMatchObject({ role: "org_support", role_id: role.id });
    const own = await as(made.body.secret)<{ permissions: string[] }>("GET /v1/orgs/current");
    expect(own.status).toBe(200);
    expect((await as(made.body.secret)("GET /v1/runners")).body.code).toBe("permission_missing");
    const account = await api<OrgAccount>("POST /v1/accounts", { name: "Bo", roles: [role.id] });
    expect(account.body.permissions.toSorted()).toEqual(left);
    const pat = { name: "p", kind: "sa", role: "org_admin", account_id: account.body.id };
    const limited = await api<MadeToken>("POST /v1/tokens", pat);
    expect((await as(limited.body.secret)("GET /v1/workflows")).status).toBe(200);
    expect((await as(limited.body.secret)("GET /v1/apps")).status).toBe(403);
  });

  test("names what its maker lacks, and what the managed role does not have", async () => {
    const keeper = await makeRole({
      role_type: "org_admin",
      policies: [{ name: "a", permissions: ["accounts.write", "orgs.read"] }],
    });
    const wanted = { name: "k", role_id: keeper.body.id };
    const { body } = await as(admin)<MadeToken>("POST /v1/tokens", wanted);
    const refused = await makeRole({}, body.secret);
    expect(refused).toMatchObject({ status: 403, body: { code: "wider_than_own" } });
    expect(refused.body.detail).toContain("workflows.read");
    const policies = [{ name: "a", permissions: ["orgs.read", "accounts.write"] }];
    expect(await makeRole({ policies })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/policies/0/permissions/1", code: "not_in_role" }] },
    });
    const twice = [approver.policies[0], approver.policies[0]];
    expect((await makeRole({ policies: twice })).body.errors[0]?.code).toBe("duplicate_name");
    for (const wrong of [{ role_type: "runner" }, { policies: [] }, { role_type: "king" }])
      expect((await makeRole(wrong)).status).toBe(422);
    const both = { name: "b", role: "org_admin", role_id: keeper.body.id };
    expect((await as(admin)("POST /v1/tokens", both)).body.errors[0]?.code).toBe("not_allowed");
  });

  test("is deleted once nobody has it, and is no other org's", async () => {
    const api = as(admin);
    const { body: role } = await makeRole();
    const remove = () => api(`DELETE /v1/roles/${role.id}`);
    const token = await api<MadeToken>("POST /v1/tokens", { name: "a", role_id: role.id });
    expect(await remove()).toMatchObject({ status: 409, body: { code: "role_in_use" } });
    await api(`DELETE /v1/tokens/${token.body.id}`);
    const account = await api<OrgAccount>("POST /v1/accounts", { name: "Bo", roles: [role.id] });
    expect((await remove()).status).toBe(409);
    await api(`DELETE /v1/accounts/${account.body.id}`);
    const other = as((await bootstrapOrg(db, "Other")).adminToken);
    expect((await other(`DELETE /v1/roles/${role.id}`)).status).toBe(404);
    const stolen = await other("POST /v1/tokens", { name: "x", role_id: role.id });
    expect(stolen.body.errors[0]?.code).toBe("role_not_found");
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect(await api("DELETE /v1/roles/rol_00000000000000000000000001")).toMatchObject({
      status: 409,
      body: { code: "role_not_own" },
    });
  });

  test("is changed, and whoever has it may do at once what it says", async () => {
    const api = as(admin);
    const { body: role } = await makeRole();
    const at = `PATCH /v1/roles/${role.id}`;
    const token = await api<MadeToken>("POST /v1/tokens", { name: "a", role_id: role.id });
    const person = await api<OrgAccount>("POST /v1/accounts", { name: "Bo", roles: [role.id] });
    const ofBo = { name: "p", kind: "sa", role: "org_admin", account_id: person.body.id };
    const limited = await api<MadeToken>("POST /v1/tokens", ofBo);
    const [own, bos] = [as(token.body.secret), as(limited.body.secret)];
    const read = async () =>
      (await Promise.all([own("GET /v1/runners"), bos("GET /v1/runners")])).map(
        ({ status }) => status,
      );
    expect(await read()).toEqual([403, 403]);
    const named = await api<Role>(at, { title: "Reader", description: "Reads." });
    expect(named).toMatchObject({ status: 200, body: { title: "Reader", description: "Reads." } });
    expect(named.body.policies).toEqual(role.policies);
    const policies = [{ name: "reads", permissions: ["runners.read"] }];
    const changed = await api<Role>(at, { policies });
    expect(changed.body).toMatchObject({
      title: "Reader",
      policies: [{ title: "reads", permissions: { "runners.read": "allow" } }],
      permissions: ["runners.read"],
    });
    await expect.poll(read, { interval: 20 }).toEqual([200, 200]);
    await api(at, { policies: [{ name: "x", permissions: ["orgs.read"] }] });
    await expect.poll(read, { interval: 20 }).toEqual([403, 403]);
  });

  test("is changed to no more than its managed role and the caller permit, and no other's is", async () => {
    const api = as(admin);
    const { body: role } = await makeRole();
    const at = `PATCH /v1/roles/${role.id}`;
    const wide = { policies: [{ name: "a", permissions: ["accounts.write"] }] };
    expect((await api(at, wide)).body.errors[0]?.code).toBe("not_in_role");
    for (const wrong of [{ title: "" }, { policies: [] }, { role_type: "org_admin" }])
      expect((await api(at, wrong)).status).toBe(422);
    const keeper = await makeRole({
      role_type: "org_admin",
      policies: [{ name: "a", permissions: ["accounts.write", "orgs.read"] }],
    });
    const wanted = { name: "k", role_id: keeper.body.id };
    const { body } = await api<MadeToken>("POST /v1/tokens", wanted);
    const given = { policies: [{ name: "a", permissions: ["workflows.read"] }] };
    const refused = await as(body.secret)(at, given);
    expect(refused).toMatchObject({ status: 403, body: { code: "wider_than_own" } });
    const other = as((await bootstrapOrg(db, "Other")).adminToken);
    expect((await other(at, { title: "Mine" })).status).toBe(404);
    expect(await api("PATCH /v1/roles/rol_00000000000000000000000001", {})).toMatchObject({
      status: 409,
      body: { code: "role_not_own" },
    });
  });

  test("has what one of two changes said, not a part of each", async () => {
    const { body: role } = await makeRole();
    const change = (name: string) =>
      as(admin)<Role>(`PATCH /v1/roles/${role.id}`, {
        policies: [{ name, permissions: ["orgs.read"] }],
      });
    const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
    await Promise.all(names.map(change));
    const { body } = await as(admin)<{ items: Role[] }>("GET /v1/roles");
    expect(body.items.find(({ id }) => id === role.id)?.policies).toHaveLength(1);
  });

  test("that narrows an admin makes no admin: the last one stays", async () => {
    const api = as(admin);
    const policies = [{ name: "a", permissions: ["orgs.read"] }];
    const { body: role } = await makeRole({ role_type: "org_admin", policies });
    const { body: me } = await api<OrgAccount>("GET /v1/account");
    await api("POST /v1/accounts", { name: "Bo", roles: [role.id] });
    const change = await api(`PUT /v1/accounts/${me.id}/roles`, { roles: [role.id] });
    expect(change).toMatchObject({ status: 409, body: { code: "last_admin" } });
  });
});
