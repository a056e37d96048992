import { describe, expect, test } from "vitest";
import { createAccount } from "../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import { createEnrolmentToken } from "../../broker/tokens/create-enrolment-token.ts";
import { createToken } from "../../broker/tokens/create-token.ts";
import { pathAliases } from "../../shared/path-aliases.ts";
import {
  type Permission,
  permissions,
  rolePermissions,
  roleTypes,
} from "../../shared/permissions.ts";
import type { RouteRule } from "../../shared/route-rule.ts";
import { givenAppIds } from "../support/apps/given-app-ids.ts";
import { type Answer, type Call, startBroker } from "../support/broker/broker.ts";
import { routeRules, routeRule } from "../support/broker/route-rules.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenQueue, givenSignal } from "../support/queues/given-signals.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner } from "../support/rows/given.ts";
import { givenDelivery } from "../support/webhooks/given-webhooks.ts";

type Parameter = { name: string; in: string; schema: { pattern?: string; example?: string } };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, unknown> };
};
type Route = { name: string; method: string; path: string; operation: Operation; rule: RouteRule };
type Refusal = { code: string; errors?: { pointer: string; code: string }[]; error?: string };

const database = await testDatabase();
const { db } = database;
const broker = await startBroker({
  url: database.url,
  env: { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", SVC_LOG_LEVEL: "error" },
});

const ours = await givenOrg();
const routes = await readRoutes();
const guarded = routes.filter(({ rule }) => rule.permission !== null);
const withBody = guarded.filter(
  ({ operation }) => operation.requestBody?.content["application/json"],
);
const ofRunners = guarded.filter(
  ({ method, rule, operation }) =>
    rule.surface === "runner" &&
    method !== "GET" &&
    operation.requestBody?.content["application/octet-stream"] === undefined, // bytes, whatever they say
);
const strict = guarded.filter(({ rule }) => rule.surface !== "runner");

/** An org with one of each thing that a path can name. */
async function givenOrg() {
  const { orgId, adminToken } = await bootstrapOrg(db, "Acme");
  const runner = await givenRunner(db, { orgId });
  const processId = await givenProcess(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  const byId = { createdById: "" };
  const account = await createAccount(db, orgId, {
    accountType: "service",
    name: "",
    email: "",
    subject: "",
    roles: ["org_read_only"],
    ...byId,
  });
  const token = await createToken(db, orgId, { name: "t", kind: "sa", role: "org_admin", ...byId });
  const boot = await createEnrolmentToken(db, orgId, { runnerId: runner.runnerId, ...byId });
  const ids: Record<string, string> = {
    runner_id: runner.runnerId,
    runner_group_id: runner.groupId,
    process_id: processId,
    job_id: jobId,
    runner_job_id: jobId,
    execution_id: executionId,
    log_stream_id: `lgs_${jobId.slice(4)}`,
    account_id: account.id,
    token_id: token.row.id,
  };
  const queue = await givenQueue(db, { orgId });
  Object.assign(ids, { queue_id: queue.queueId, signal_id: await givenSignal(db, queue) });
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId });
  Object.assign(ids, { webhook_id: webhookId, delivery_id: deliveryId });
  Object.assign(ids, await givenAppIds(broker.broker, { orgId }));
  const secretWith = async (permission: Permission): Promise<string> => {
    if (permission === "orgs.create") return adminToken;
    const role = roleTypes.find((type) => rolePermissions[type].includes(permission));
    if (role === undefined) throw new Error(`no role has ${permission}`);
    return role === "runner"
      ? await givenToken(db, { orgId, runnerId: runner.runnerId })
      : await givenToken(db, { orgId, role });
  };
  return { orgId, ids, secretWith, bootSecret: boot.secret };
}

async function readRoutes(): Promise<Route[]> {
  const { body } = await broker.call<{ paths: Record<string, Record<string, Operation>> }>(
    "GET /openapi.json",
  );
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      rule: routeRule(operation.operationId),
    })),
  );
}

/** The route's address for the objects of an org. */
function addressOf({ method, path, operation }: Route, ids: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters?.find((one) => one.name === name);
    return ids[name] ?? parameter?.schema.example ?? "x";
  });
  return `${method} ${filled}`;
}

function ask(route: Route, call: Call): Promise<Answer<Refusal>> {
  const headers = { accept: "*/*", ...call.headers }; // as clients are that know no problem documents
  return broker.call<Refusal>(addressOf(route, ours.ids), { ...call, headers });
}

async function secretFor({ rule }: Route): Promise<string> {
  if (rule.permission === null) throw new Error("an open route needs no token");
  return await ours.secretWith(rule.others ?? rule.permission);
}

/** Where a refusal points: into the body, the query or a header, in one form everywhere. */
const pointerForm = /^(#(\/.+)?|\?[^?]+|header:[A-Z][A-Za-z0-9-]+)$/;

/** Refusals have the shape that clients decode. */
function expectRefusal(answer: Answer<Refusal>, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/json");
  const code: unknown = expect.any(String);
  expect(answer.body).toMatchObject({ status, code, error: code, user_error: status < 500 });
  const pointers = (answer.body.errors ?? []).map(({ pointer }) => pointer);
  expect(pointers.filter((pointer) => !pointerForm.test(pointer))).toEqual([]);
}

test("every route has a rule and every rule a route", () => {
  const ids = routes.map(({ operation }) => operation.operationId);
  expect(ids.toSorted()).toEqual(Object.keys(routeRules).toSorted());
});

test("every permission but the admin's is in some role, and every route's in few enough", () => {
  const given = new Set(Object.values(rolePermissions).flat());
  expect(permissions.filter((one) => !given.has(one))).toEqual(["orgs.create"]);
});

const aliased = guarded.flatMap((route) => pathAliases(route).map((path) => ({ ...route, path })));

test("every alias of a path is refused without a token, and counts as its route", async () => {
  expect(aliased.length).toBeGreaterThan(50);
  for (const alias of aliased) expectRefusal(await ask(alias, {}), 401);
  const { body } = await broker.call<string>("GET /metrics");
  for (const { path } of aliased)
    expect(body).not.toContain(`route="${path.replaceAll(/\{(\w+)\}/g, ":$1")}"`);
});

describe.each(guarded)("$name", (route) => {
  test("is refused without a token", async () => {
    const answer = await ask(route, {});
    expectRefusal(answer, 401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
  });

  test("is refused to a token without its permission", async () => {
    expectRefusal(await ask(route, { token: ours.bootSecret }), 403);
    const permission = route.rule.others ?? route.rule.permission;
    const lacking = roleTypes.find(
      (type) => type !== "runner" && !rolePermissions[type].some((one) => one === permission),
    );
    if (lacking === undefined) return;
    const token = await givenToken(db, { orgId: ours.orgId, role: lacking });
    expectRefusal(await ask(route, { token }), 403);
  });

  test("is refused to an expired and to a revoked token", async () => {
    const expired = await secretFor(route);
    await db`update tokens set expires_at = svc_now() where hint like ${`%${expired.slice(-4)}`}`;
    broker.broker.authenticator.forgetAll();
    expectRefusal(await ask(route, { token: expired }), 401);
    await db`update tokens set expires_at = null, revoked_at = svc_now() where hint like ${`%${expired.slice(-4)}`}`;
    expectRefusal(await ask(route, { token: expired }), 401);
    await db`update tokens set revoked_at = null where hint like ${`%${expired.slice(-4)}`}`;
  });
});

describe.each(withBody)("$name", (route) => {
  test("takes JSON only, and says where it is broken", async () => {
    const token = await secretFor(route);
    const headers = { "content-type": "text/plain" };
    expectRefusal(await ask(route, { token, body: "{}", headers }), 415);
    const broken = await ask(route, { token, body: `{"a": ` });
    expectRefusal(broken, 400);
    expect(broken.body.code).toBe("malformed_json");
  });
});

describe.each(withBody.filter(({ rule }) => rule.surface !== "runner"))("$name", (route) => {
  test("refuses a member it does not know, and one given twice", async () => {
    const token = await secretFor(route);
    const unknown = await ask(route, { token, body: { surprise: true } });
    expectRefusal(unknown, 422);
    expect(unknown.body.errors).toContainEqual(
      expect.objectContaining({
        pointer: "#/surprise",
        code: route.path.endsWith("/configs/sync") ? "unknown_key" : "unknown_member",
      }),
    );
    const twice = await ask(route, { token, body: `{"surprise":1,"surprise":2}` });
    expect(twice).toMatchObject({ status: 400, body: { code: "duplicate_key" } });
  });
});

describe.each(ofRunners)("$name", (route) => {
  test("takes null for an empty body", async () => {
    const token = await secretFor(route);
    const empty = await ask(route, { token, body: "{}" });
    const nothing = await ask(route, { token, body: "null\n" });
    const told = ({ status, body }: Answer<Refusal>) => [status, body.code, body.errors];
    expect(told(nothing)).toEqual(told(empty));
  });
});

describe.each(guarded.filter(({ rule }) => rule.idempotent !== undefined))("$name", (route) => {
  test("points to an Idempotency-Key that is none", async () => {
    const headers = { "idempotency-key": "no key" };
    const example = { name: "x", kind: "sa", role: "org_admin", roles: ["org_admin"] };
    const known = route.operation.requestBody === undefined ? {} : { body: example };
    const refused = await ask(route, { token: await secretFor(route), headers, ...known });
    expectRefusal(refused, 422);
  });
});

describe.each(strict)("$name", (route) => {
  test("refuses a query parameter it does not know", async () => {
    const answer = await broker.call<Refusal>(`${addressOf(route, ours.ids)}?surprise=1`, {
      token: await secretFor(route),
      headers: { accept: "*/*" },
    });
    expectRefusal(answer, 422);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "?surprise" }));
  });
});
