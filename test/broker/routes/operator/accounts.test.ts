import { beforeEach, describe, expect, test } from "vitest";
import { replaceRoles } from "../../../../broker/accounts/queries.ts";
import type { Db } from "../../../../broker/database/connect.ts";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import { listRoles } from "../../../../broker/roles/queries.ts";
import { createToken } from "../../../../broker/tokens/create-token.ts";
import type { OrgAccount } from "../../../../shared/api/accounts.ts";
import type { Role } from "../../../../shared/api/roles.ts";
import { roleTypes } from "../../../../shared/permissions.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";
import { untilOneWaits } from "../../../support/database/until-one-waits.ts";

type Page<Item> = { items: Item[]; next_cursor: string | null };

const database = await testDatabase();
const broker = await startBroker({ url: database.url });
let org: OrgId;
let admin: string;

beforeEach(async () => {
  const first = await bootstrapOrg(database.db, "Acme");
  [org, admin] = [first.orgId, first.adminToken];
});

const make = (body: object) => broker.call<OrgAccount>("POST /v1/accounts", { token: admin, body });
const personal = async (accountId: string) =>
  (await createToken(database.db, org, { name: "t", kind: "pat", accountId, createdById: "" }))
    .secret;

test("the managed roles are all nine, with title and assignability", async () => {
  const { body } = await broker.call<Page<Role>>("GET /v1/roles", { token: admin });
  const managed = body.items.filter((role) => role.managed);
  expect(managed.map(({ role_type }) => role_type).toSorted()).toEqual([...roleTypes].toSorted());
  expect(body.items.every(({ title }) => title !== "")).toBe(true);
  for (const { policies, permissions, bound_permissions, createdBy } of body.items) {
    const told = policies.flatMap((policy) => Object.keys(policy.permissions));
    expect(new Set(told)).toEqual(new Set([...permissions, ...bound_permissions]));
    expect(createdBy).toBeUndefined(); // it is left out, never null
  }
  const assignable = managed.filter((role) => role.assignable).map(({ role_type }) => role_type);
  expect(assignable).toEqual(["org_admin", "org_support", "org_read_only", "org_builder"]);
});

describe("an account", () => {
  test("is made with its roles, and what they allow", async () => {
    const { status, body } = await make({
      name: "Ann",
      email: "ann@example.com",
      account_type: "auth",
      roles: ["org_builder"],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Ann", account_type: "auth", org_ids: [org] });
    expect(body.roles.map(({ role_type }) => role_type)).toEqual(["org_builder"]);
    expect(body.permissions).toContain("jobs.write");
    const read = await broker.call(`GET /v1/accounts/${body.id}`, { token: admin });
    expect(read.body).toEqual(body);
  });

  test.each([
    [["king"], "role_not_found"],
    [["runner"], "role_not_assignable"],
    [["rol_00000000000000000000000006"], "role_not_assignable"],
  ])("cannot be given %j", async (roles, code) => {
    expect(await make({ roles })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/roles/0", code }] },
    });
  });

  test("has a subject of its own among accounts of its type", async () => {
    const subject = `auth0|${org}`;
    expect((await make({ account_type: "auth0", subject, roles: ["org_read_only"] })).status).toBe(
      201,
    );
    const again = await make({ account_type: "auth0", subject, roles: ["org_read_only"] });
    expect(again).toMatchObject({ status: 409, body: { code: "subject_taken" } });
  });

  test("that loses a role loses it in its tokens at once", async () => {
    const { body: account } = await make({ roles: ["org_admin"] });
    const token = await personal(account.id);
    const rename = () => broker.call("PATCH /v1/orgs/current", { token, body: { name: "Mine" } });
    expect((await rename()).status).toBe(200);
    const body = { roles: ["org_read_only"] };
    const changed = await broker.call<OrgAccount>(`PUT /v1/accounts/${account.id}/roles`, {
      token: admin,
      body,
    });
    expect(changed.body.roles.map(({ role_type }) => role_type)).toEqual(["org_read_only"]);
    expect(await rename()).toMatchObject({ status: 403, body: { code: "permission_missing" } });
    expect((await broker.call("GET /v1/orgs/current", { token })).status).toBe(200);
  });

  test("that is removed is gone from the org, and its tokens with it", async () => {
    const { body: account } = await make({ roles: ["org_admin"] });
    const token = await personal(account.id);
    expect((await broker.call("GET /v1/roles", { token })).status).toBe(200);
    expect((await broker.call(`DELETE /v1/accounts/${account.id}`, { token: admin })).status).toBe(
      204,
    );
    expect((await broker.call("GET /v1/roles", { token })).status).toBe(401);
    expect((await broker.call(`GET /v1/accounts/${account.id}`, { token: admin })).status).toBe(
      404,
    );
    expect((await broker.call(`DELETE /v1/accounts/${account.id}`, { token: admin })).status).toBe(
      404,
    );
  });

  test("that is the last admin stays one", async () => {
    const { body } = await broker.call<Page<OrgAccount>>("GET /v1/accounts", { token: admin });
    const [last] = body.items;
    const path = `PUT /v1/accounts/${last?.id}/roles`;
    const refused = await broker.call(path, { token: admin, body: { roles: ["org_read_only"] } });
    expect(refused).toMatchObject({ status: 409, body: { code: "last_admin" } });
    await make({ roles: ["org_admin"] });
    expect(
      (await broker.call(path, { token: admin, body: { roles: ["org_read_only"] } })).status,
    ).toBe(200);
  });

  test("that goes while the only other admin goes stays one", async () => {
    const other = (await make({ roles: ["org_admin"] })).body.id;
    const { body } = await broker.call<Page<OrgAccount>>("GET /v1/accounts", { token: admin });
    const first = body.items.find(({ id }) => id !== other)?.id ?? "";
    const leaving = await database.db.reserve();
    const takeable = (await listRoles(database.db, org)).map(({ id }) => id);
    const gone = (db: Db, accountId: string) =>
      replaceRoles(db, org, { accountId, roleIds: [], takeable, byId: "" });
    await leaving`begin`;
    expect(await gone(leaving, first)).toMatchObject({ is_member: true, is_last_admin: false });
    const second = gone(database.db, other);
    await untilOneWaits(database.db);
    await leaving`commit`;
    leaving.release();
    expect(await second).toMatchObject({ is_member: true, is_last_admin: true });
  });

  test("of another org is nobody", async () => {
    const { body: account } = await make({ roles: ["org_admin"] });
    const stranger = (await bootstrapOrg(database.db, "Strangers")).adminToken;
    for (const what of [`GET /v1/accounts/${account.id}`, `DELETE /v1/accounts/${account.id}`]) {
      expect((await broker.call(what, { token: stranger })).status).toBe(404);
    }
  });
});

describe("a list", () => {
  test("is walked page by page, without a gap or a repeat, whatever is added meanwhile", async () => {
    const made = [];
    for (let n = 0; n < 5; n++)
      made.push((await make({ name: `a${n}`, roles: ["org_read_only"] })).body.id);
    const seen: string[] = [];
    let path = "/v1/accounts?limit=2";
    for (let pages = 0; pages < 10 && path !== ""; pages++) {
      const { body, headers } = await broker.call<Page<OrgAccount>>(`GET ${path}`, {
        token: admin,
      });
      seen.push(...body.items.map(({ id }) => id));
      await make({ name: "late", roles: ["org_read_only"] });
      path = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
      expect(path === "").toBe(body.next_cursor === null);
    }
    expect(seen).toEqual(expect.arrayContaining(made));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 5)).toEqual(made.toReversed());
  });

  test("refuses a cursor that was given out for other filters", async () => {
    await make({ roles: ["org_read_only"] });
    for (let n = 0; n < 3; n++)
      await createToken(database.db, org, {
        name: "t",
        kind: "sa",
        role: "org_builder",
        createdById: "",
      });
    const { body } = await broker.call<Page<object>>("GET /v1/tokens?limit=1", { token: admin });
    const cursor = body.next_cursor ?? "";
    expect(
      (await broker.call(`GET /v1/tokens?limit=2&cursor=${cursor}`, { token: admin })).status,
    ).toBe(200);
    const other = await broker.call(`GET /v1/tokens?account_id=acc_1&cursor=${cursor}`, {
      token: admin,
    });
    expect(other).toMatchObject({ status: 422, body: { errors: [{ code: "cursor_mismatch" }] } });
    const forged = Buffer.from(JSON.stringify(["2026-02-31 00:00:00+00", "x", "y"])).toString(
      "base64url",
    );
    const refused = await broker.call(`GET /v1/tokens?cursor=${forged}`, { token: admin });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ code: "invalid_cursor" }] } });
  });
});
