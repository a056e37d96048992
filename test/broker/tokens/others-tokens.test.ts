import { beforeAll, describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { type GivenCallers, givenCallers } from "../../support/broker/given-callers.ts";

type Made = Token & { secret: string };
type Change = "rotate" | "revoke";

let at: GivenCallers;
beforeAll(async () => {
  at = await givenCallers();
});

const admin = "a person that is admin";
const narrowed = "a person's token narrowed to a role";
const path = (change: Change, id: string) =>
  change === "rotate" ? `POST /v1/tokens/${id}/rotate` : `DELETE /v1/tokens/${id}`;
const statusOf = async (token: string, org: string = at.mine): Promise<number> => {
  const headers = { "x-svc-org-id": org };
  return (await at.broker.call("GET /v1/roles", { token, headers })).status;
};

describe("a person's own token", () => {
  test.each([
    ["rotate", "a person that is admin"],
    ["rotate", "a person with a token of type admin"],
    ["rotate", "an org's token that names a colleague's account"],
    ["rotate", "an org's token of type admin"],
    ["rotate", "a pat that an admin made for a colleague"],
    ["revoke", "a person that is admin"],
    ["revoke", "an org's token that names a colleague's account"],
    ["revoke", "a pat that an admin made for a colleague"],
  ] as const)("is not for a colleague to %s: %s", async (change, caller) => {
    const { row, secret } = await at.ownToken(at.colleague);
    const refused = await at.callAs(caller, path(change, row.id));
    expect(refused).toMatchObject({ status: 403, body: { code: "admin_only" } });
    expect(await statusOf(secret)).toBe(200);
  });

  test("is revoked by a token of type admin", async () => {
    const { row, secret } = await at.ownToken(at.colleague);
    const revoked = await at.callAs("an org's token of type admin", path("revoke", row.id));
    expect(revoked.status).toBe(200);
    expect(await statusOf(secret)).toBe(401);
  });

  test("is rotated and revoked by its account, and reaches as far as before", async () => {
    const { secret: token } = await at.ownToken(at.colleague);
    const { row } = await at.ownToken(at.colleague);
    const rotated = await at.broker.call<Made>(path("rotate", row.id), { token });
    expect(rotated).toMatchObject({ status: 201, body: { reach: "account" } });
    const fresh = rotated.body.secret;
    expect([await statusOf(fresh), await statusOf(fresh, at.theirs)]).toEqual([200, 200]);
    expect((await at.broker.call(path("revoke", rotated.body.id), { token })).status).toBe(200);
  });

  test("goes on in other orgs when one org takes its account out", async () => {
    const leaver = await at.givenAdmin("leaver", [at.mine, at.theirs]);
    const { secret } = await at.ownToken(leaver);
    const confined = await at.ownToken(leaver, { reach: "org" });
    expect((await at.callAs(admin, `DELETE /v1/accounts/${leaver}`)).status).toBe(204);
    const found = [await statusOf(secret), await statusOf(secret, at.theirs)];
    expect([...found, await statusOf(confined.secret)]).toEqual([403, 200, 401]);
  });
});

describe("a token that a colleague made for an account", () => {
  test("stays in its org when it rotates itself", async () => {
    const caller = "a pat that an admin made for a colleague";
    const made = await at.callAs<Made>(caller, "POST /v1/tokens/current/rotate");
    expect(made).toMatchObject({ status: 201, body: { reach: "org" } });
    const fresh = made.body.secret;
    expect([await statusOf(fresh), await statusOf(fresh, at.theirs)]).toEqual([200, 404]);
  });
});

describe("a token of type admin", () => {
  test.each([
    ["rotate", 201],
    ["revoke", 200],
  ] as const)("is out of a mere admin's reach: %s", async (change, status) => {
    const token = { name: "t", kind: "sa", role: "org_admin", createdById: "" } as const;
    const { db } = at.broker.broker;
    const { row } = await createToken(db, at.mine, { ...token, tokenType: "admin" });
    const refused = await at.callAs(admin, path(change, row.id));
    expect(refused).toMatchObject({ status: 403, body: { code: "admin_only" } });
    const done = await at.callAs("an org's token of type admin", path(change, row.id));
    expect(done.status).toBe(status);
  });
});

describe("a person's token narrowed to a role", () => {
  test.each(["org_support", "org_admin"])("makes another of the role %s", async (role) => {
    const body = { name: "t", kind: "pat", account_id: at.me, role };
    expect((await at.callAs(narrowed, "POST /v1/tokens", { body })).status).toBe(201);
  });

  test("does not get the account's wider token by rotating that", async () => {
    const { row } = await at.ownToken(at.me);
    const refused = await at.callAs(narrowed, path("rotate", row.id));
    expect(refused).toMatchObject({ status: 403, body: { code: "wider_than_own" } });
  });
});
