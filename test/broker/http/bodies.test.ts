import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";

let database: TestDatabase;
let broker: TestBroker;
let token: string;
let org: string;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url });
  const first = await bootstrapOrg(database.db, "Acme");
  [org, token] = [first.orgId, first.adminToken];
});

const patch = (body: unknown, headers = {}) =>
  broker.call("PATCH /v1/orgs/current", { token, body, headers });
const create = (body: unknown, headers = {}) =>
  broker.call("POST /v1/accounts", { token, body, headers });

describe("a body", () => {
  test.each([
    ["no JSON", "{name", 400, "malformed_json"],
    ["cut short", `{"name":"a"`, 400, "malformed_json"],
    ["a member given twice", `{"name":"a","name":"b"}`, 400, "duplicate_key"],
    ["__proto__", `{"__proto__":{"polluted":true}}`, 400, "forbidden_key"],
    [
      "constructor.prototype",
      `{"constructor":{"prototype":{"polluted":true}}}`,
      400,
      "forbidden_key",
    ],
    ["a NUL", `{"name":"a\\u0000"}`, 422, "invalid"],
    ["half a surrogate pair", `{"name":"\\ud800"}`, 422, "invalid"],
    ["deep nesting", `{"name":${"[".repeat(100)}${"]".repeat(100)}}`, 400, "too_deep"],
    ["an unknown member", `{"nam":"a"}`, 422, "invalid"],
    ["a wrong type", `{"name":1}`, 422, "invalid"],
    ["no object", `[]`, 422, "invalid"],
  ])("with %s is refused", async (_, body, status, code) => {
    expect(await patch(body)).toMatchObject({ status, body: { code } });
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("of more values than an honest one has is refused before any is judged", async () => {
    const body = JSON.stringify({ name: Array.from({ length: 5001 }, () => 1) });
    expect(await patch(body)).toMatchObject({ status: 413, body: { code: "too_many_parts" } });
  });

  test("with a list that is too long is refused before its items are judged", async () => {
    const jobs = Array.from({ length: 2000 }, () => ({ type: "no-such-type" }));
    const refused = await broker.call(`POST /v1/runners/${newId("run")}/jobs/batch`, {
      token,
      body: { jobs },
    });
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(refused.body["errors"]).toEqual([
      expect.objectContaining({ pointer: "#/jobs", code: "too_big" }),
    ]);
  });

  test("that is wrong is told where", async () => {
    const { body } = await create({ account_type: "king", name: 7, rols: [], email: "x" });
    const errors = (body["errors"] as { pointer: string; code: string }[]).map(
      ({ pointer, code }) => [pointer, code],
    );
    expect(errors.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual([
      ["#/account_type", "invalid_value"],
      ["#/email", "invalid_format"],
      ["#/name", "invalid_type"],
      ["#/roles", "required"],
      ["#/rols", "unknown_member"],
    ]);
  });

  test("that is empty is {}", async () => {
    expect((await broker.call("PATCH /v1/orgs/current", { token })).status).toBe(200);
    expect((await patch("")).status).toBe(200);
  });

  test.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/jsonp"],
    ["application/json; charset=latin1"],
  ])("sent as %s is 415", async (type) => {
    expect((await patch("{}", { "content-type": type })).status).toBe(415);
  });

  test.each([
    "application/json",
    "application/json; charset=UTF-8",
    "application/merge-patch+json",
  ])("may be sent as %s", async (type) => {
    expect((await patch("{}", { "content-type": type })).status).toBe(200);
  });

  test("with a Content-Encoding is 415", async () => {
    expect((await patch("{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test("of more than a MiB is 413, said to be or not", async () => {
    const large = JSON.stringify({ name: "a".repeat(1024 * 1024) });
    expect(await patch(large)).toMatchObject({ status: 413, body: { code: "body_too_large" } });
    const head = `PATCH /v1/orgs/current HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
    const chunk = `${(700_000).toString(16)}\r\n${"a".repeat(700_000)}\r\n`;
    expect(await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 413 /,
    );
  });

  test.each([
    ["is too large", "/v1/orgs/current", () => token, 413],
    ["has a wrong token", "/v1/orgs/current", () => "svc_sa_nobody", 401],
    ["has no route", "/v1/nowhere", () => token, 404],
  ])(
    "is refused when all of it was sent, for who reads only then: it %s",
    async (_, path, by, status) => {
      const head = `PATCH ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${by()}\r\n`;
      const half = Buffer.alloc(1_000_000, "a");
      let text = "";
      const socket = rawSocket((chunk) => (text += chunk));
      socket.write(`${head}content-type: application/json\r\ncontent-length: 2000000\r\n\r\n`);
      socket.write(half);
      for (let nth = 0; nth < 20; nth++) {
        await broker.call("GET /livez"); // meanwhile it could answer
        socket.write("a"); // a sender that stands still for long is answered
      }
      expect(text).toBe("");
      socket.write(half.subarray(20));
      await once(socket, "close");
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    },
  );

  test("that is no UTF-8 is 400", async () => {
    const head = `PATCH /v1/orgs/current HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n`;
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const sent = Buffer.concat([
      Buffer.from(`${head}content-type: application/json\r\ncontent-length: 3\r\n\r\n`),
      body,
    ]);
    expect(await raw(sent)).toContain("body_not_utf8");
  });

  test("is not read for a caller without permission", async () => {
    const readOnly = await givenToken(database.db, { orgId: org, role: "org_read_only" });
    const answer = await broker.call("PATCH /v1/orgs/current", {
      token: readOnly,
      body: "{not json",
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "permission_missing" } });
  });

  test("is refused where the route takes no members", async () => {
    const path = "DELETE /v1/accounts/acc_01k9zq5v3t8w2x4y6z8a0b2c4d";
    expect((await broker.call(path, { token, body: {} })).status).toBe(404);
    expect(await broker.call(path, { token, body: { really: true } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/really", code: "unknown_member" }] },
    });
  });
});

describe("bytes that are no proper request", () => {
  test.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["a Host that is none", "GET /livez HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n", 400],
    ["too many headers", `GET /livez HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
  ])("are answered as a problem: %s", async (_, bytes, status) => {
    const answer = await raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain("application/json");
    expect(answer).toContain(`"code":"unreadable_request"`);
    expect(answer).toMatch(/"instance":"urn:request:[\w-]{8,}"/);
  });
});

/** What comes back for bytes that no proper client would send. */
function raw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = rawSocket((chunk) => (text += chunk));
    socket.write(bytes);
    socket.on("close", () => resolve(text));
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
  });
}

function rawSocket(onText: (chunk: string) => void): Socket {
  const { port, hostname } = new URL(broker.url);
  return connect(Number(port), hostname).setEncoding("utf8").on("data", onText);
}
