import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { rolePermissions } from "../../shared/permissions.ts";
import { bodyOf, type Document as RoutesDocument, routesOf } from "../support/broker/ask-route.ts";
import { givenEverything } from "../support/broker/given-everything.ts";
import {
  junk,
  nearly,
  oneWrong,
  type RequestSchema,
  type Schemas,
} from "../support/broker/junk.ts";
import { routeRule } from "../support/broker/route-rules.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { beat } from "../support/rows/given.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; schema: RequestSchema & { example?: string } }[];
  requestBody?: { content: Record<string, { schema: RequestSchema }> };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
};

const { db, setup, call } = await givenWorkflowsApi({ env: { SVC_LOG_LEVEL: "error" } });
const { body: document } = await call<Document>("GET /openapi.json");
const { body: routes } = await call<RoutesDocument>("GET /openapi.json");
const everything = await givenEverything({ db, setup, document: routes });
const { org, alive } = everything;
const { log_stream_id: _endless, ...found } = everything.ids; // who follows its log waits for its end
const adminToken = org.token;
const made = { token: adminToken, body: {} };
const { body: chart } = await call<{ id: string }>("POST /v1/helm-charts", made);
/** That of whoever asks must go on. */
const { body: spare } = await call<{ id: string }>("POST /v1/tokens", {
  token: adminToken,
  body: { name: "spare", kind: "sa", role: "org_read_only" },
});
/** Of all that a path can name there is one, in one org: what is asked of it goes far. */
const ids: Record<string, string> = {
  ...found,
  config_id: org.configId,
  chart_id: chart.id,
  state_id: "1",
  token_id: spare.id,
};
const bodies = new Map(
  routesOf(routes).map(({ operation }) => [operation.operationId, bodyOf(routes, operation, ids)]),
);
const runnerToken = await givenToken(db, {
  orgId: org.orgId,
  runnerId: ids["runner_id"] ?? "",
});

/** What ends things comes last, and what deletes them after that, so that the others find them alive. */
const rankOf = (name: string): number =>
  /^(delete|disable|forget)/.test(name)
    ? 2
    : Number(/^(accept|cancel|deprovision|flush|force|purge|remove|respond|revoke)/.test(name));
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
      name: operation.operationId,
    })),
  )
  .sort((a, b) => rankOf(a.name) - rankOf(b.name));

type Route = (typeof operations)[number];

function requestsOf({
  operation,
}: Route): fc.Arbitrary<{ query: Record<string, unknown>; body: unknown }> {
  const schemas = document.components.schemas;
  const known = Object.values(ids);
  const inQuery = (operation.parameters ?? []).filter(
    (one) => one.in === "query" && one.name !== "wait",
  );
  const query = Object.fromEntries(
    inQuery.map(({ name, schema }) => [name, nearly(schema, schemas, known)]),
  );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const right = bodies.get(operation.operationId);
  const body =
    schema === undefined || right === undefined
      ? fc.oneof(fc.constant(undefined), junk)
      : fc.oneof(nearly(schema, schemas, known), oneWrong(right, { schema, all: schemas, known }));
  const single = Object.entries(query).map(([name, value]) => fc.record({ [name]: value }));
  const some = fc.record(query, { requiredKeys: [] });
  return fc.record({ query: fc.oneof(fc.constant({}), some, ...single), body });
}

function addressOf({ path, method, operation }: Route, query: Record<string, unknown>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters?.find((one) => one.name === name);
    return ids[name] ?? parameter?.schema.example ?? "x";
  });
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [
      name,
      (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed(),
    ]),
  );
  // Nobody waits here: a poll of a millisecond is a poll.
  if (operation.parameters?.some(({ name }) => name === "wait") === true) asked.set("wait", "1ms");
  return `${method.toUpperCase()} ${filled}?${asked.toString()}`;
}

/** A claim's wait is in its body; one of signals waits also where nothing says so. */
function hurried({ name }: Route, body: unknown): unknown {
  const isRecord = typeof body === "object" && body !== null && !Array.isArray(body);
  const waits = isRecord && ("wait" in body || name === "claimSignals");
  return waits ? { ...body, wait: "1ms" } : body;
}

type Answered = { readonly status: number; readonly body: Record<string, unknown> };

/** A refusal's pointers lead into the body, the query or a header. */
const pointsInOneForm = (
  body: { readonly code?: string; readonly errors?: { readonly pointer: string }[] } | null,
) =>
  body?.code === undefined ||
  !Array.isArray(body.errors) ||
  body.errors.every(({ pointer }) => /^(#(\/.*)?$|\?.|header:[A-Z]|check:[a-z])/.test(pointer));

/** Only whether a broker is ready may be answered with a no: its database may take more than a second. */
const isNoFault = ({ name }: Route, { status, body }: Answered): boolean =>
  status < 500 || (name === "getReadiness" && status === 503 && body["code"] === "not_ready");

beforeEach(async () => {
  await beat(db, alive);
});

test("knows a thing for everything that a path can name, but for logs that go on, and what only a runner's long dialogue makes", () => {
  const named = operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)]);
  const names = new Set(named.map(([, name = ""]) => name));
  expect([...names].filter((name) => ids[name] === undefined).toSorted()).toEqual([
    "cloud_platform",
    "journey_name",
    "key",
    "log_stream_id",
    "namespace",
    "release_id",
    "rescued_id",
    "shutdown_id",
    "step_name",
    "type",
  ]);
});

test.each(operations)("$name answers nothing with a 500", async (route) => {
  const { permission, surface } = routeRule(route.name);
  const may = permission !== null && rolePermissions.runner.includes(permission);
  const isRunners = surface === "runner" && may;
  const token = isRunners ? runnerToken : adminToken;
  const property = fc.asyncProperty(requestsOf(route), async ({ query, body }) => {
    const hasBody = route.method !== "get" && body !== undefined;
    const answer = await call(addressOf(route, query), {
      token,
      ...(hasBody && { body: hurried(route, body) }),
    });
    expect(answer).toSatisfy((answered: Answered) => isNoFault(route, answered));
    expect(answer.body).toSatisfy(pointsInOneForm);
  });
  await fc.assert(property, { numRuns: 15, seed: 20261121 });
});
