import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
let broker: TestBroker;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url });
  await until(async () => (await broker.call("GET /readyz")).status === 200);
});

/** What a request is answered, for a comparison that is made again until it holds. */
async function answerOf(what: string): Promise<{ status: number; body: unknown }> {
  const { status, body } = await broker.call(what);
  return { status, body };
}

describe("health", () => {
  test("is alive without asking anything", async () => {
    expect(await broker.call("GET /livez")).toMatchObject({
      status: 200,
      body: { status: "alive" },
    });
  });

  test("is ready when the database answers and the schema is current", async () => {
    await expect
      .poll(() => answerOf("GET /readyz"))
      .toEqual({ status: 200, body: { status: "ready" } });
    const checks = ["draining", "database", "schema"].map((name) => ({ name, status: "ok" }));
    await expect
      .poll(() => answerOf("GET /readyz?verbose=true"))
      .toEqual({
        status: 200,
        body: { status: "ready", checks: expect.arrayContaining(checks) as unknown },
      });
  });

  test("names the check that fails", async () => {
    const { health } = broker.broker;
    health.addCheck("weather", () => Promise.resolve("it rains"));
    onTestFinished(() => health.addCheck("weather", () => Promise.resolve(undefined)));
    await expect
      .poll(() => answerOf("GET /readyz"))
      .toMatchObject({
        status: 503,
        body: { code: "not_ready", errors: [{ pointer: "check:weather", detail: "it rains" }] },
      });
    health.addCheck("weather", () => Promise.resolve(undefined));
    await expect.poll(() => answerOf("GET /readyz")).toMatchObject({ status: 200 });
  });

  test("stays ready while a newer version migrates the database", async () => {
    const own = await testDatabase();
    const other = await startBroker({ url: own.url });
    await own.db`insert into svc_migrations (name, checksum) values ('9999-later', 'x')`;
    await expect.poll(async () => (await other.call("GET /readyz")).status).toBe(200);
    await own.db`update svc_functions set revision = revision + 1, checksum = 'x'`;
    await expect.poll(async () => (await other.call("GET /readyz")).status).toBe(200);
    await own.db`update svc_migrations set checksum = 'x' where name < '9999'`;
    expect(await other.call("GET /readyz")).toMatchObject({
      status: 503,
      body: { errors: [{ pointer: "check:schema" }] },
    });
  });

  test("is not ready on a schema that lacks a migration", async () => {
    const own = await testDatabase();
    const other = await startBroker({ url: own.url });
    await own.db`delete from svc_migrations where name = (select max(name) from svc_migrations)`;
    expect(await other.call("GET /readyz")).toMatchObject({
      status: 503,
      body: {
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer: "check:schema" }),
        ]) as unknown,
      },
    });
  });
});

test("the version is the package's", async () => {
  expect((await broker.call("GET /version")).body).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
    has_opa: false,
    has_registry: false,
  });
});

describe("metrics", () => {
  test("count requests by route template, never by id", async () => {
    await broker.call("GET /v1/tokens/tok_01k9zq5v3t8w2x4y6z8a0b2c4d");
    const { body, headers } = await broker.call<string>("GET /metrics");
    expect(headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(body).toContain(
      `svc_http_requests_total{method="GET",route="/v1/tokens/:token_id",status="401"} 1`,
    );
    expect(body).not.toMatch(/tok_0|org_0/);
  });

  test("ask for their token where one is set", async () => {
    const other = await startBroker({
      url: database.url,
      env: { SVC_METRICS_TOKEN: "a-long-metrics-token" },
    });
    expect((await other.call("GET /metrics")).status).toBe(401);
    expect((await other.call("GET /metrics", { token: "another-metrics-token" })).status).toBe(401);
    expect((await other.call("GET /metrics", { token: "a-long-metrics-token" })).status).toBe(200);
  });
});

describe("the reference", () => {
  test("is a page that needs no script and nothing from elsewhere", async () => {
    const { body, headers, status } = await broker.call<string>("GET /docs");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(body).not.toContain("<script");
    expect(body).not.toMatch(/(?:src|href)="https?:/);
    expect(body).toContain(`<link rel="stylesheet" href="/docs/reference.css"`);
    const style = await broker.call<string>("GET /docs/reference.css");
    expect(style.headers.get("content-type")).toContain("text/css");
  });

  test("has every operation, and every link in it leads somewhere", async () => {
    const { body } = await broker.call<string>("GET /docs");
    const api = await broker.call<{
      paths: Record<string, Record<string, { operationId: string }>>;
    }>("GET /openapi.json");
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const operations = Object.values(api.body.paths).flatMap((path) => Object.values(path));
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)));
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });
});
