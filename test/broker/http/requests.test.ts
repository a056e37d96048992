import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { mintToken } from "../../../shared/token.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

let database: TestDatabase;
let broker: TestBroker;
let token: string;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({
    url: database.url,
    env: { SVC_PUBLIC_URL: "https://svc.example/" },
  });
  token = (await bootstrapOrg(database.db, "Acme")).adminToken;
});

const patch = (body: unknown, headers = {}) =>
  broker.call("PATCH /v1/orgs/current", { token, body, headers });

describe("every answer", () => {
  test("carries the request's id: the caller's own when it is a plain word, else a new one", async () => {
    const own = await broker.call("GET /v1/roles", {
      token,
      headers: { "x-request-id": "my-request_1" },
    });
    expect(own.headers.get("x-request-id")).toBe("my-request_1");
    const other = await broker.call("GET /v1/roles", {
      token,
      headers: { "x-request-id": "<script>" },
    });
    expect(other.headers.get("x-request-id")).toMatch(/^[\w-]{16}$/);
    expect(other.headers.get("x-content-type-options")).toBe("nosniff");
    expect(other.headers.get("cache-control")).toBe("no-store");
  });

  test("that refuses is a problem with all its members", async () => {
    const { status, headers, body } = await broker.call(
      "GET /v1/accounts/acc_01k9zq5v3t8w2x4y6z8a0b2c4d",
      { token, headers: { accept: "application/problem+json, */*;q=0.1" } },
    );
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(body).toEqual({
      type: "https://svc.example/docs#not-found",
      title: "Not Found",
      status: 404,
      detail: "This account does not exist.",
      instance: `urn:request:${headers.get("x-request-id")}`,
      code: "account_not_found",
      error: "This account does not exist.",
      description: "This account does not exist.",
      user_error: true,
    });
  });
});

test.each([
  ["Application/Problem+JSON", "application/problem+json"],
  ["application/json, application/problem+json; q=0.5", "application/problem+json"],
  ["application/json, application/problem+json;q=0", "application/json"],
  ["*/*", "application/json"],
])("a client that accepts %s is refused in %s", async (accept, type) => {
  const { headers } = await broker.call("GET /v2", { token, headers: { accept } });
  expect(headers.get("content-type")).toBe(type);
});

test.each([
  [
    "application/json, application/problem+json, */*;q=0.1",
    { items: [expect.anything() as unknown] },
  ], // svc and agents of all versions
  ["application/json", [expect.anything() as unknown]],
  ["*/*", [expect.anything() as unknown]],
])("a client that accepts %s reads lists and workspaces in its shape", async (accept, shape) => {
  const headers = { accept };
  const made = await broker.call<{ id: string }>("POST /v1/terraform-workspaces", {
    token,
    body: {},
  });
  const at = "GET /v1/terraform-workspaces";
  const listed = await broker.call(`${at}?limit=1`, { token, headers });
  expect([listed.headers.get("vary"), listed.body]).toMatchObject(["accept", shape]);
  expect((await broker.call(`${at}?limit=1&offset=0`, { token, headers })).body).toHaveLength(1);
  const { body } = await broker.call(`${at}/${made.body.id}`, { token, headers });
  expect(Array.isArray(body)).toBe(Array.isArray(shape));
});

/** As clients are that know no problem documents. */
const bare = { accept: "*/*" };

describe("a path", () => {
  test.each(["/v2", "/v1", "/v1/roles/", "/v1/roles/x/y", "/v1/%2e%2e/roles", "/v1/tokens/%00"])(
    "that no route has is 404: %s",
    async (path) => {
      const { status, headers } = await broker.call(`GET ${path}`, { token, headers: bare });
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("application/json");
    },
  );

  test("that no route has refuses a runner in the shape that runner clients decode", async () => {
    const { orgId, runnerId } = await givenRunner(database.db);
    const own = await givenToken(database.db, { orgId, runnerId });
    const path = `/v1/runners/${runnerId}/of-another-version`;
    const basic = `Basic ${Buffer.from(`svc:${own}`).toString("base64")}`;
    for (const answer of [
      await broker.call(`GET ${path}`, { token: own, headers: bare }),
      await broker.call(`POST ${path}`, { token: own, headers: bare, body: "null\n" }),
      await broker.call(`GET ${path}?token=${own}`, { headers: bare }),
      await broker.call(`GET ${path}`, { headers: { ...bare, authorization: basic } }),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.body).toMatchObject({
        code: "route_not_found",
        error: answer.body["detail"],
        description: answer.body["detail"],
        user_error: true,
      });
    }
  });

  test("asked by a method it does not answer is 405, and Allow names those it does", async () => {
    const { status, headers, body } = await broker.call("PUT /v1/accounts", { token });
    expect(status).toBe(405);
    expect(headers.get("allow")?.split(", ").toSorted()).toEqual(["GET", "HEAD", "POST"]);
    expect(body).toMatchObject({ code: "method_not_allowed" });
  });

  test("of a runner's route refuses in the shape that runner clients decode", async () => {
    const { runnerId } = await givenRunner(database.db);
    const answer = await broker.call(`GET /v1/runners/${runnerId}/jobs/tail`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const detail = "This route requires a token. Send the header Authorization: Bearer svc_….";
    expect(answer.body).toMatchObject({
      status: 401,
      error: detail,
      description: detail,
      user_error: true,
    });
  });

  test("with an id of another shape is nobody's", async () => {
    expect((await broker.call("GET /v1/accounts/42", { token })).status).toBe(404);
  });

  test("answers HEAD as it answers GET, without the body", async () => {
    const head = await broker.call("HEAD /v1/roles", { token });
    expect(head).toMatchObject({ status: 200, body: "" });
  });
});

describe("a query", () => {
  test.each([
    ["limit=0", "?limit", "too_small"],
    ["limit=101", "?limit", "too_big"],
    ["limit=ten", "?limit", "invalid_type"],
    ["pages=2", "?pages", "unknown_parameter"],
    ["limit=1&limit=2", "?limit", "invalid_type"],
    ["account_id=%00", "?account_id", "nul_character"],
    ["cursor=xyz", "?cursor", "invalid_cursor"],
    ["__proto__=1", "?__proto__", "unknown_parameter"],
  ])("%s is refused", async (query, pointer, code) => {
    const answer = await broker.call(`GET /v1/tokens?${query}`, { token });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });

  test("value that is empty is absent", async () => {
    expect((await broker.call("GET /v1/tokens?limit=&account_id=&cursor=", { token })).status).toBe(
      200,
    );
  });

  test("name that is unknown is ignored on a runner's route", async () => {
    const { orgId, runnerId } = await givenRunner(database.db);
    const own = await givenToken(database.db, { orgId, runnerId });
    const answer = await broker.call(`GET /v1/runners/${runnerId}/jobs/tail?wait=0.001s&shiny=1`, {
      token: own,
    });
    expect(answer.status).toBe(200);
  });
});

describe("an org", () => {
  test("is the token's own, or another of its account's, never a stranger's", async () => {
    const made = await broker.call("POST /v1/orgs", { token, body: { name: "Second" } });
    const second = String(made.body["id"]);
    const choose = (org: string, by = token) =>
      broker.call("GET /v1/orgs/current", { token: by, headers: { "x-svc-org-id": org } });
    expect((await choose(second)).body).toMatchObject({ id: second, name: "Second" });
    expect((await choose(await orgId())).status).toBe(200);
    const strangers = await bootstrapOrg(database.db, "Strangers");
    expect(await choose(strangers.orgId)).toMatchObject({
      status: 404,
      body: { code: "org_not_found" },
    });
    const service = await givenToken(database.db, { orgId: await orgId() });
    expect((await choose(second, service)).status).toBe(404);
  });

  test("is changed by whoever saw its present version", async () => {
    const seen = await broker.call("GET /v1/orgs/current", { token });
    const etag = seen.headers.get("etag") ?? "";
    const again = await broker.call("GET /v1/orgs/current", {
      token,
      headers: { "if-none-match": etag },
    });
    expect(again).toMatchObject({ status: 304, body: "" });
    expect((await patch({ name: "New" }, { "if-match": etag })).body).toMatchObject({
      name: "New",
    });
    expect(await patch({ name: "Newer" }, { "if-match": etag })).toMatchObject({ status: 412 });
    expect(await patch({ name: "Newer" }, { "if-match": "junk" })).toMatchObject({ status: 412 });
  });
});

test("the log tells of a request by its route, and which trace it is part of", async () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const headers = { traceparent, "x-request-id": "traced-request" };
  await broker.call("GET /v1/accounts/acc_01k9zq5v3t8w2x4y6z8a0b2c4d", { token, headers });
  const line = broker.logged.find((one) => one.includes("traced-request"));
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "info",
    request_id: "traced-request",
    method: "GET",
    route: "/v1/accounts/:account_id",
    status: 404,
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    org_id: await orgId(),
  });
});

test("a token never shows in the log, however it was sent", async () => {
  const secret = mintToken("pat");
  await broker.call(`GET /v1/roles?token=${secret}`, {
    token: secret,
    headers: { "x-request-id": secret.slice(0, 40) },
  });
  expect(broker.logged.join()).not.toContain(secret.slice(0, 20));
});

async function orgId(): Promise<string> {
  return String((await broker.call("GET /v1/tokens/current", { token })).body["org_id"]);
}
