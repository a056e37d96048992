import { beforeEach, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import { createToken } from "../../../../broker/tokens/create-token.ts";
import type { Account } from "../../../../shared/api/account.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";

const database = await testDatabase();
const broker = await startBroker({ url: database.url });
let org: OrgId;
let admin: string;

beforeEach(async () => {
  const first = await bootstrapOrg(database.db, "Acme");
  [org, admin] = [first.orgId, first.adminToken];
});

const make = (body: object) => broker.call<Account>("POST /v1/accounts", { token: admin, body });

describe("a service account", () => {
  const call = <Body = { code?: string; errors?: object[] }>(what: string, body?: object) =>
    broker.call<Body>(what, { token: admin, ...(body !== undefined && { body }) });
  const makeService = (role: string) =>
    call<Account>("POST /v1/service-accounts", { name: "ci", role });
  const secretOf = async (id: string, body: object) =>
    (await call<{ token: string }>(`POST /v1/service-accounts/${id}/tokens`, body)).body.token;
  const asSecret = (token: string, what: string, body?: object) =>
    broker.call<Account>(what, { token, ...(body !== undefined && { body }) });

  test("is made, listed, renamed, given another role and removed with its tokens", async () => {
    const { status, body: made } = await makeService("org_builder");
    expect(status).toBe(201);
    expect(made).toMatchObject({ name: "ci", account_type: "service", org_ids: [org] });
    expect(made.permissions[org]).toMatchObject({ "apps.write": "allow" });
    const at = `/v1/service-accounts/${made.id}`;
    await make({ name: "Ann", account_type: "auth", roles: ["org_read_only"] });
    const { body: listed } = await call<Account[]>("GET /v1/service-accounts?limit=1");
    expect(listed).toEqual([made]);
    expect((await call<Account[]>("GET /v1/orgs/current/accounts")).body).toHaveLength(3);
    const renamed = await call<Account>(`PATCH ${at}`, { name: "cd" });
    expect(renamed).toMatchObject({ status: 200, body: { id: made.id, name: "cd" } });
    const first = await secretOf(made.id, {});
    const me = await asSecret(first, "GET /v1/general/current-user");
    expect(me.body).toMatchObject({ id: made.id, permissions: made.permissions });
    const second = await secretOf(made.id, { duration: "1h", invalidate: true });
    expect((await asSecret(first, "GET /v1/account")).status).toBe(401);
    const role = await call<Account>(`PATCH ${at}/role`, { role: "org_read_only" });
    expect(role.body.roles).toMatchObject([{ role_type: "org_read_only" }]);
    expect((await asSecret(second, "POST /v1/apps", { name: "shop" })).status).toBe(403);
    expect(await call(`DELETE ${at}`)).toMatchObject({ status: 202, body: { roles: [] } });
    expect((await asSecret(second, "GET /v1/account")).status).toBe(401);
    expect((await call(`PATCH ${at}`, { name: "ce" })).status).toBe(404);
  });

  test("has no token that is wider than its maker's or lives for longer than 90 days", async () => {
    const { body: made } = await makeService("org_admin");
    const { secret } = await createToken(database.db, org, {
      name: "t",
      kind: "sa",
      role: "org_support",
      createdById: "",
    });
    const at = `POST /v1/service-accounts/${made.id}/tokens`;
    expect((await broker.call(at, { token: secret, body: {} })).status).toBe(403);
    const long = await call(at, { duration: "2161h" });
    expect(long).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/duration" }] } });
    expect(await makeService("king")).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/role", code: "role_not_found" }] },
    });
    const wider = { token: await secretOf((await makeService("org_builder")).body.id, {}) };
    const raise = `PATCH /v1/service-accounts/${made.id}/role`;
    expect((await broker.call(raise, { ...wider, body: { role: "org_admin" } })).status).toBe(403);
  });

  test("has a token that is valid when several are made at once, each as its only one", async () => {
    const { id } = (await makeService("org_read_only")).body;
    const secrets = await Promise.all([1, 2, 3].map(() => secretOf(id, { invalidate: true })));
    const statusOf = async (one: string) => (await asSecret(one, "GET /v1/account")).status;
    expect(await Promise.all(secrets.map(statusOf))).toContain(200);
    const last = await secretOf(id, { invalidate: true });
    expect(await Promise.all([...secrets, last].map(statusOf))).toEqual([401, 401, 401, 200]);
  });

  test("with several roles needs to be told which its token is to have", async () => {
    const { body: made } = await make({ roles: ["org_support", "org_builder"] });
    const answer = await call(`POST /v1/service-accounts/${made.id}/tokens`, {});
    expect(answer).toMatchObject({ status: 409, body: { code: "several_roles" } });
  });

  test("is no person: 404", async () => {
    const { body: person } = await make({ account_type: "auth", roles: ["org_builder"] });
    const at = `/v1/service-accounts/${person.id}`;
    for (const [what, body] of [
      [`PATCH ${at}`, { name: "x" }],
      [`PATCH ${at}/role`, { role: "org_read_only" }],
      [`POST ${at}/tokens`, {}],
      [`DELETE ${at}`, undefined],
    ] as const)
      expect((await call(what, body)).status).toBe(404);
  });

  test("a person's static tokens are made, listed and revoked by that person alone", async () => {
    const { body: made, status } = await call<{ id: string; api_token: string }>(
      "POST /v1/account/static-token",
      { name: "laptop", duration: "24h", role: "org_read_only" },
    );
    expect(status).toBe(201);
    const own = await asSecret(made.api_token, "GET /v1/account");
    expect(own.body.permissions[org]).not.toHaveProperty(["apps.write"]);
    const { body: listed } = await call<object[]>("GET /v1/account/static-tokens");
    expect(listed).toMatchObject([{ id: made.id, name: "laptop", token_type: "static" }]);
    const other = await secretOf((await makeService("org_admin")).body.id, {});
    const revoke = `DELETE /v1/account/static-tokens/${made.id}`;
    expect((await asSecret(other, revoke)).status).toBe(404);
    expect((await call(revoke)).status).toBe(204);
    expect((await asSecret(made.api_token, "GET /v1/account")).status).toBe(401);
  });
});

describe("an org", () => {
  test("takes in whom its admin knows as an admin elsewhere, and lets them go", async () => {
    const { body: elsewhere } = await broker.call<{ id: string }>("POST /v1/orgs", {
      token: admin,
      body: { name: "Second" },
    });
    const there = { token: admin, headers: { "x-svc-org-id": elsewhere.id } };
    const { body: known } = await make({ name: "Ann", account_type: "auth", roles: ["org_admin"] });
    const stranger = await bootstrapOrg(database.db, "Strangers");
    const { body: foreign } = await broker.call<Account>("GET /v1/account", {
      token: stranger.adminToken,
    });
    const ask = (what: string, userId: string) =>
      broker.call<Account>(`POST /v1/orgs/current/${what}`, {
        ...there,
        body: { user_id: userId },
      });
    expect((await ask("user", foreign.id)).status).toBe(404);
    for (const _ of ["first", "again"])
      expect(await ask("user", known.id)).toMatchObject({
        status: 201,
        body: { id: known.id, roles: [{ role_type: "org_read_only" }] },
      });
    const at = `PATCH /v1/orgs/current/accounts/${known.id}/role`;
    const change = (type: string) => broker.call(at, { ...there, body: { role_type: type } });
    expect(await change("org_support")).toMatchObject({
      status: 200,
      body: { roles: [{ role_type: "org_support" }] },
    });
    expect(await change("runner")).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/role_type", code: "role_not_assignable" }] },
    });
    const gone = await ask("remove-user", known.id);
    expect(gone).toMatchObject({ status: 201, body: { id: known.id, roles: [], org_ids: [org] } });
    expect((await ask("remove-user", known.id)).status).toBe(404);
  });

  test("has features that are its settings, counts, and facts of clouds", async () => {
    const call = (what: string, body?: object) =>
      broker.call<{ name: string }[]>(what, { token: admin, ...(body !== undefined && { body }) });
    const features = { prevent_self_approval: true };
    const patch = "PATCH /v1/orgs/current/features";
    expect(await call(patch, { features })).toMatchObject({ status: 200, body: { features } });
    const all = { ...features, auto_skip_noops: false };
    expect((await call("GET /v1/orgs/current/features")).body).toEqual(all);
    expect((await call("GET /v1/orgs/features")).body).toMatchObject([
      { name: "prevent_self_approval" },
      { name: "auto_skip_noops" },
    ]);
    expect((await call(patch, { features: { flying: true } })).status).toBe(422);
    const [told] = await database.db`
      select changes from audit_events where org_id = ${org} and outcome = 'allowed' and changes ? 'features'`;
    expect(told?.["changes"]).toEqual({ features });
    expect((await call("GET /v1/orgs/current/stats")).body).toMatchObject({
      id: org,
      status: "active",
      app_count: 0,
      install_count: 0,
    });
    expect((await call("GET /v1/orgs/current/runner-group")).status).toBe(404);
    const { body: group } = await broker.call<{ id: string }>("POST /v1/runner-groups", {
      token: admin,
      body: { name: "builds", type: "org" },
    });
    expect((await call("GET /v1/orgs/current/runner-group")).body).toMatchObject({ id: group.id });
    for (const [cloud, region] of [
      ["aws", "eu-central-1"],
      ["azure", "westeurope"],
      ["gcp", "europe-west3"],
    ]) {
      const { body } = await call(`GET /v1/general/cloud-platform/${cloud}/regions`);
      expect(body).toContainEqual(expect.objectContaining({ value: region }));
    }
    expect((await call("GET /v1/general/cloud-platform/unknown/regions")).status).toBe(404);
    const { body: facts } = await broker.call("GET /v1/general/cli-config");
    expect(facts).toMatchObject({ svc_auth_enabled: false, oidc_federation_enabled: false });
  });
});
