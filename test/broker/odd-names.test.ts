import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import { startBroker, type TestBroker } from "../support/broker/broker.ts";
import { routeRule } from "../support/broker/route-rules.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { type GivenRunner, givenRunner } from "../support/rows/given.ts";

/** What every object of the language answers to. */
const names = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype"];

type Document = { paths: Record<string, Record<string, { operationId: string }>> };

let broker: TestBroker;
let runner: GivenRunner;
let person: string;
let runners: string;
let routes: { readonly what: string; readonly path: string; readonly token: string }[];

beforeAll(async () => {
  const { db, url } = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", SVC_LOG_LEVEL: "error" };
  broker = await startBroker({ url, env });
  const { orgId, adminToken } = await bootstrapOrg(db, "Acme");
  [person, runner] = [adminToken, await givenRunner(db, { orgId })];
  runners = await givenToken(db, { orgId, runnerId: runner.runnerId });
  const { body } = await broker.call<Document>("GET /openapi.json");
  routes = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== "tailLogs") // it answers for as long as it is read
      .map(([method, { operationId }]) => {
        const isRunners = routeRule(operationId).surface === "runner";
        return { what: method.toUpperCase(), path, token: isRunners ? runners : person };
      }),
  );
});

/** The answers that are a fault of ours, of every route, one after the other. */
async function faults(
  ask: (route: (typeof routes)[number]) => Promise<{ status: number; body: unknown }>,
): Promise<string[]> {
  const found = [];
  for (const route of routes) {
    const { status } = await ask(route);
    if (status === 500) found.push(`${route.what} ${route.path}`);
  }
  return found;
}

const filled = (path: string, name = "x"): string =>
  path.replaceAll("{runner_id}", runner.runnerId).replaceAll(/\{\w+\}/g, name);

describe.each(names)("%s", (name) => {
  test("as an org is none", async () => {
    const headers = { "x-svc-org-id": name };
    for (const token of [person, runners]) {
      const answer = await broker.call("GET /v1/tokens/current", { token, headers });
      expect(answer).toMatchObject({ status: 404, body: { code: "org_not_found" } });
    }
  });

  test("as an id in a path, a query's name and its value is no fault of ours", async () => {
    const found = await faults(({ what, path, token }) =>
      broker.call(`${what} ${filled(path, name)}?${name}=${name}&wait=1ms`, {
        token,
        ...(what !== "GET" && { body: {} }),
      }),
    );
    expect(found).toEqual([]);
  });

  test("as a member of a body, and as a value, is no fault of ours", async () => {
    const body = `{"${name}": "${name}", "name": "${name}", "type": "${name}", "metadata": {"${name}": "x"},
      "groups": {"${name}": 1}, "job_group_parallelism": {"${name}": "1"}, "status": "${name}", "wait": "1ms"}`;
    const found = await faults(({ what, path, token }) => {
      const address = `${what} ${filled(path)}?wait=1ms`;
      return broker.call(address, { token, ...(what !== "GET" && { body }) });
    });
    expect(found).toEqual([]);
  });

  test("is kept as a key of metadata and of a plan, or refused by its name", async () => {
    const body = `{"type": "noop", "metadata": {"${name}": "x"}, "plan": {"${name}": {"a": 1}}}`;
    const path = `POST /v1/runners/${runner.runnerId}/jobs`;
    const made = await broker.call(path, { token: person, body });
    const { metadata = {}, code } = made.body as { metadata?: object; code?: string };
    expect([[[name, "x"]], "forbidden_key"]).toContainEqual(code ?? Object.entries(metadata));
  });

  test("as an attribute of a trace, a metric and a log is no fault of ours", async () => {
    const attributes = [{ key: name, value: { stringValue: name } }];
    const resource = { attributes };
    const records = [
      { timeUnixNano: "1", severityText: name, body: { stringValue: "x" }, attributes },
    ];
    const logs = {
      resourceLogs: [{ resource, scopeLogs: [{ scope: { name }, logRecords: records }] }],
    };
    const gauge = { dataPoints: [{ attributes, asInt: "1", timeUnixNano: "1" }] };
    const metrics = {
      resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [{ name, gauge }] }] }],
    };
    const spans = [
      { name, traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "1", attributes },
    ];
    const traces = { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
    const stream = await broker.call<{ id: string }>("POST /v1/log-streams", {
      token: person,
      body: { attrs: { [name]: "x" } },
    });
    const at = `/v1/runners/${runner.runnerId}`;
    const answers = await Promise.all([
      broker.call(`POST /v1/log-streams/${stream.body.id ?? "x"}/logs`, {
        token: person,
        body: logs,
      }),
      broker.call(`POST ${at}/metrics`, { token: runners, body: metrics }),
      broker.call(`POST ${at}/traces`, { token: runners, body: traces }),
    ]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
