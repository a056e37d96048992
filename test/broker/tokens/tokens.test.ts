import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { type NewToken, createToken } from "../../../broker/tokens/create-token.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { grantablePermissions } from "../../../shared/permissions.ts";
import { mintToken } from "../../../shared/token.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { advanceClock, stopMemoryClock } from "../../support/database/clock.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenRunner } from "../../support/rows/given.ts";

type Made = Token & { secret: string };

let database: TestDatabase;
let broker: TestBroker;
let org: OrgId;
let admin: string;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url });
  const first = await bootstrapOrg(database.db, "Acme");
  [org, admin] = [first.orgId, first.adminToken];
});

const make = async (token: Partial<NewToken> & Pick<NewToken, "kind">) => {
  const { row, secret } = await createToken(database.db, org, {
    name: "t",
    createdById: "",
    ...token,
  });
  return { id: row.id, secret };
};
const whoAmI = (token: string) =>
  broker.call<Token & { permissions: string[] }>("GET /v1/tokens/current", { token });
const post = (path: string, body: object) =>
  broker.call<Made>(`POST ${path}`, { token: admin, body });

describe("a new token", () => {
  test("is told once, and only its digest is kept", async () => {
    const made = await post("/v1/tokens", { name: "ci", kind: "sa", role: "org_builder" });
    expect(made.status).toBe(201);
    expect(made.body.secret).toMatch(/^svc_sa_/);
    expect(made.body.hint).toBe(`svc_sa_…${made.body.secret.slice(-4)}`);
    const read = await broker.call(`GET /v1/tokens/${made.body.id}`, { token: admin });
    expect(read.body).not.toHaveProperty("secret");
    const stored =
      await database.db`select to_jsonb(t)::text as text from tokens t where id = ${made.body.id}`;
    expect(JSON.stringify(stored)).not.toContain(made.body.secret);
    expect(broker.logged.join()).not.toContain(made.body.secret);
  });

  test("says who it is and what it may do", async () => {
    const { secret } = await make({ kind: "sa", role: "org_read_only" });
    const me = await whoAmI(secret);
    expect(me.body).toMatchObject({ org_id: org, role: "org_read_only", kind: "sa" });
    expect(me.body.permissions).toContain("jobs.read");
    expect(me.body.permissions).not.toContain("jobs.write");
  });

  test.each(grantablePermissions)("may be granted %s beyond its role", async (permission) => {
    const asked = { name: "t", kind: "sa", role: "org_read_only", grants: [permission] };
    const made = await post("/v1/tokens", asked);
    expect(made.status).toBe(201);
    expect((await whoAmI(made.body.secret)).body.permissions).toContain(permission);
  });

  test.each([
    [{ kind: "pat" }, "#/account_id", "required"],
    [{ kind: "pat", account_id: "acc_nobody" }, "#/account_id", "account_not_found"],
    [{ kind: "rt" }, "#/runner_id", "required"],
    [{ kind: "rt", runner_id: "run_nobody" }, "#/runner_id", "runner_not_found"],
    [{ kind: "sa" }, "#/role", "required"],
    [{ kind: "sa", role: "runner" }, "#/role", "not_allowed"],
    [{ kind: "sa", role: "king" }, "#/role", "invalid_value"],
    [
      { kind: "sa", role: "org_admin", expires_at: "2001-01-01T00:00:00Z" },
      "#/expires_at",
      "in_the_past",
    ],
    [{ kind: "sa", role: "org_admin", expires_at: "soon" }, "#/expires_at", "invalid_format"],
    [{ kind: "boot" }, "#/kind", "invalid_value"],
  ])("%j is refused at %s", async (body, pointer, code) => {
    const { status, body: problem } = await post("/v1/tokens", { name: "t", ...body });
    expect(status).toBe(422);
    const { errors } = problem as unknown as { errors: object[] };
    expect(errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  test("of type admin is made by another of that type only", async () => {
    const { secret } = await make({ kind: "sa", role: "org_admin" });
    const body = { name: "t", kind: "sa", role: "org_admin", token_type: "admin" };
    const refused = await broker.call("POST /v1/tokens", { token: secret, body });
    expect(refused).toMatchObject({ status: 403, body: { code: "admin_only" } });
    expect((await post("/v1/tokens", body)).status).toBe(201);
  });
});

describe("a token that is no good", () => {
  test.each([
    ["none", undefined, "token_missing"],
    ["does not contain an svc token", "ghp_abc", "invalid_token"],
    ["a wrong checksum", `${mintToken("sa").slice(0, -1)}_`, "invalid_token"],
    ["one that nobody made", mintToken("sa"), "invalid_token"],
  ])("is 401: %s", async (_, token, code) => {
    const headers = { accept: "*/*" };
    const answer = await broker.call("GET /v1/roles", { token, headers });
    expect(answer).toMatchObject({ status: 401, body: { code } });
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("is refused from the moment it is revoked, though it was used just before", async () => {
    const { id, secret } = await make({ kind: "sa", role: "org_read_only" });
    expect((await whoAmI(secret)).status).toBe(200);
    const revoked = await broker.call<Token>(`DELETE /v1/tokens/${id}`, { token: admin });
    expect(revoked.body.revoked_at).not.toBeNull();
    expect(await whoAmI(secret)).toMatchObject({
      status: 401,
      body: { detail: "The token was revoked." },
    });
    const again = await broker.call<Token>(`DELETE /v1/tokens/${id}`, { token: admin });
    expect(again.body.revoked_at).toBe(revoked.body.revoked_at);
  });

  test("tells every broker of its revocation", async () => {
    const { id } = await make({ kind: "sa", role: "org_read_only" });
    const heard = Promise.withResolvers<string>();
    const listening = await database.db.listen("svc_tokens", heard.resolve);
    await database.db`update tokens set revoked_at = svc_now() where id = ${id}`;
    expect(await heard.promise).toBe(id);
    await listening.unlisten();
  });

  test("is refused by every other broker within a second of its revocation", async () => {
    const env = { SVC_RATE_TOKEN_PER_S: "0" };
    const other = await startBroker({ url: database.url, env });
    await expect.poll(async () => (await other.call("GET /readyz")).status).toBe(200);
    stopMemoryClock(); // nothing but the news of it makes the other broker ask anew
    const tookMs: number[] = [];
    for (let n = 0; n < 5; n++) {
      const { id, secret } = await make({ kind: "sa", role: "org_read_only" });
      const ask = async () =>
        (await other.call("GET /v1/tokens/current", { token: secret })).status;
      expect(await ask()).toBe(200);
      await broker.call(`DELETE /v1/tokens/${id}`, { token: admin });
      const revokedAtMs = Date.now();
      await expect.poll(ask).toBe(401);
      tookMs.push(Date.now() - revokedAtMs);
    }
    expect(Math.min(...tookMs)).toBeLessThan(1000); // of several: a machine may stand for a while
  });

  test("is refused when it has expired", async () => {
    const { secret } = await make({
      kind: "sa",
      role: "org_read_only",
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    expect((await whoAmI(secret)).status).toBe(200);
    await advanceClock(database.db, "2 minutes");
    broker.broker.authenticator.forgetAll();
    expect(await whoAmI(secret)).toMatchObject({
      status: 401,
      body: { detail: "The token has expired." },
    });
  });
});

describe("a rotation", () => {
  const rotate = (id: string) => post(`/v1/tokens/${id}/rotate`, {});

  test("leaves the old token alive for 24 hours, beside a new one of the same powers", async () => {
    const old = await make({ kind: "sa", role: "org_builder" });
    const fresh = await rotate(old.id);
    expect(fresh).toMatchObject({ status: 201, body: { role: "org_builder", expires_at: null } });
    expect((await whoAmI(old.secret)).body.replaced_by).toBe(fresh.body.id);
    expect((await whoAmI(fresh.body.secret)).status).toBe(200);
    await advanceClock(database.db, "25 hours");
    broker.broker.authenticator.forgetAll();
    expect((await whoAmI(old.secret)).status).toBe(401);
    expect((await whoAmI(fresh.body.secret)).status).toBe(200);
  });

  test("can be repeated until the new token is used; the unused one is revoked", async () => {
    const old = await make({ kind: "sa", role: "org_builder" });
    const lost = await rotate(old.id);
    const fresh = await rotate(old.id);
    expect(fresh.status).toBe(201);
    expect((await whoAmI(lost.body.secret)).status).toBe(401);
    expect((await whoAmI(fresh.body.secret)).status).toBe(200);
    expect(await rotate(old.id)).toMatchObject({ status: 409, body: { code: "not_rotatable" } });
  });

  test("by ten at once leaves one live successor", async () => {
    const old = await make({ kind: "sa", role: "org_builder" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(old.id)));
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.secret);
    expect(made.length).toBeGreaterThan(0);
    const alive = await Promise.all(made.map(async (secret) => (await whoAmI(secret)).status));
    expect(alive.filter((status) => status === 200)).toHaveLength(1);
  });

  test("of a runner's own token keeps the old one until the new has been used for ten minutes", async () => {
    const { runnerId } = await givenRunner(database.db, { orgId: org });
    const old = await make({ kind: "rt", runnerId });
    const fresh = await broker.call<Made>("POST /v1/tokens/current/rotate", { token: old.secret });
    expect(fresh).toMatchObject({ status: 201, body: { runner_id: runnerId } });
    await advanceClock(database.db, "30 days");
    broker.broker.authenticator.forgetAll();
    expect((await whoAmI(old.secret)).status).toBe(200);
    expect((await whoAmI(fresh.body.secret)).status).toBe(200);
    await advanceClock(database.db, "9 minutes");
    broker.broker.authenticator.forgetAll();
    expect((await whoAmI(old.secret)).status).toBe(200);
    await advanceClock(database.db, "2 minutes");
    broker.broker.authenticator.forgetAll();
    expect((await whoAmI(old.secret)).status).toBe(401);
  });
});
