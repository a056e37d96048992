import fc from "fast-check";
import { expect, test } from "vitest";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import { rolePermissions } from "../../shared/permissions.ts";
import { givenAppIds } from "../support/apps/given-app-ids.ts";
import { startBroker } from "../support/broker/broker.ts";
import { junk, nearly, type RequestSchema, type Schemas } from "../support/broker/junk.ts";
import { routeRule } from "../support/broker/route-rules.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenQueue, givenSignal } from "../support/queues/given-signals.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner } from "../support/rows/given.ts";
import { givenDelivery } from "../support/webhooks/given-webhooks.ts";

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; schema: RequestSchema & { example?: string } }[];
  requestBody?: { content: Record<string, { schema: RequestSchema }> };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
};

const database = await testDatabase();
const { db } = database;
const { call, broker } = await startBroker({
  url: database.url,
  env: { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", SVC_LOG_LEVEL: "error" },
});
const { orgId, adminToken } = await bootstrapOrg(db, "Acme");
const runner = await givenRunner(db, { orgId });
const runnerToken = await givenToken(db, { orgId, runnerId: runner.runnerId });
const processId = await givenProcess(db, runner);
const { jobId, executionId } = await givenExecution(db, runner, { processId });
const made = { token: adminToken, body: {} };
const { body: workspace } = await call<{ id: string }>("POST /v1/terraform-workspaces", made);
const { body: chart } = await call<{ id: string }>("POST /v1/helm-charts", made);
const queue = await givenQueue(db, { orgId });
const { body: emitter } = await call<{ id: string }>(`POST /v1/queues/${queue.queueId}/emitters`, {
  token: adminToken,
  body: { name: "fuzzed", mode: "cron", cron_schedule: "0 0 1 1 *", signal_type: "work" },
});
const delivery = await givenDelivery(db, { orgId });
const ids: Record<string, string> = {
  emitter_id: emitter.id,
  queue_id: queue.queueId,
  signal_id: await givenSignal(db, queue),
  webhook_id: delivery.webhookId,
  delivery_id: delivery.deliveryId,
  ...(await givenAppIds(broker, { orgId })),
  workspace_id: workspace.id,
  chart_id: chart.id,
  state_id: "1",
  runner_id: runner.runnerId,
  runner_group_id: runner.groupId,
  process_id: processId,
  job_id: jobId,
  execution_id: executionId,
};
const { body: document } = await call<Document>("GET /openapi.json");

/** What ends things comes last, so that the others find them alive. */
const isEnd = (name: string): boolean =>
  /^(delete|remove|revoke|deprovision|disable|flush|force|purge)/.test(name);
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
      name: operation.operationId,
    })),
  )
  .sort((a, b) => Number(isEnd(a.name)) - Number(isEnd(b.name)));

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
  const body =
    schema === undefined ? fc.oneof(fc.constant(undefined), junk) : nearly(schema, schemas, known);
  return fc.record({ query: fc.record(query, { requiredKeys: [] }), body });
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
const pointsInOneForm = (body: { readonly errors?: { readonly pointer: string }[] } | null) =>
  !Array.isArray(body?.errors) ||
  body.errors.every(({ pointer }) => /^(#(\/.*)?$|\?.|header:[A-Z]|check:[a-z])/.test(pointer));

/** Only whether a broker is ready may be answered with a no: its database may take more than a second. */
const isNoFault = ({ name }: Route, { status, body }: Answered): boolean =>
  status < 500 || (name === "getReadiness" && status === 503 && body["code"] === "not_ready");

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
