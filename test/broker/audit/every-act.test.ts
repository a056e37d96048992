import { describe, expect, test } from "vitest";
import { auditModeOf } from "../../../shared/audit-mode.ts";
import { rolePermissions, roleTypes } from "../../../shared/permissions.ts";
import { givenApp } from "../../support/apps/given-app.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { dumpOf } from "../../support/broker/planted-secrets.ts";
import { endpoints } from "../../support/broker/route-rules.ts";
import { givenQueue, givenSignal } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { givenDelivery } from "../../support/webhooks/given-webhooks.ts";

const { db, broker, mine, admin } = await givenAudit();
const queue = await givenQueue(db, { orgId: mine.orgId });
const delivery = await givenDelivery(db, mine);
const ids: Record<string, string> = {
  runner_id: mine.runnerId,
  runner_group_id: mine.groupId,
  process_id: await givenProcess(db, mine),
  queue_id: queue.queueId,
  signal_id: await givenSignal(db, queue),
  webhook_id: delivery.webhookId,
  delivery_id: delivery.deliveryId,
  app_id: (await givenApp(db, mine)).appId,
};

const changing = endpoints
  .filter(({ method, rule }) => method !== "get" && /operator|control-plane/.test(rule.surface))
  .map((route) => ({ ...route, mode: auditModeOf(route.method, route.rule) }));

function addressOf({ method, path }: { method: string; path: string }): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const prefixes: Record<string, string> = { account_id: "acc", token_id: "tok", job_id: "job" };
    return ids[name] ?? `${prefixes[name] ?? "emt"}_${"0".repeat(26)}`;
  });
  return `${method.toUpperCase()} ${filled}`;
}

/** What a request without a proper body does not come past. */
const unread = [400, 413, 415, 422];
const secret = "hunter2-hunter2-hunter2";

test("only what is called very often is not told one by one", () => {
  const others = changing.filter(({ mode }) => mode !== "act");
  expect(others.map(({ operationId, mode }) => `${operationId}: ${mode}`).toSorted()).toEqual([
    "claimSignals: none",
    "completeSignal: none",
    "enqueueJob: tally",
    "enqueueJobs: tally",
    "enqueueSignal: tally",
    "enqueueSignals: tally",
    "extendSignal: none",
    "failSignal: none",
  ]);
});

describe.each(changing)("$operationId", (route) => {
  const { permission } = route.rule;
  const { operationId } = route;

  test("is told when it is refused", async () => {
    const role = roleTypes.find(
      (type) => type !== "runner" && !rolePermissions[type].some((one) => one === permission),
    );
    if (role === undefined) return; // every role may
    const orgId = await givenOrg(db);
    const token = await givenToken(db, { orgId, role });
    expect((await broker.call(addressOf(route), { token, body: {} })).status).toBe(403);
    await broker.broker.audit.flush();
    const rows = await db`select action, outcome, status from audit_events where org_id = ${orgId}`;
    expect(rows).toEqual([{ action: operationId, outcome: "refused", status: 403 }]);
  });

  test("is told when it is done", async () => {
    for (const [at, sent] of [{}, { name: "n" }, { note: "n" }].entries()) {
      const requestId = `req-${operationId}-${at}`.slice(0, 64);
      const headers = { "x-request-id": requestId };
      const token = await givenToken(db, { orgId: mine.orgId });
      const { status } = await broker.call(addressOf(route), { token, body: sent, headers });
      if (unread.includes(status) || status === 403 || route.mode !== "act") continue;
      await broker.broker.audit.flush();
      const rows = await db`select action from audit_events where request_id = ${requestId}`;
      expect([status, rows]).toEqual([status, [{ action: operationId }]]);
      return; // an org's refusals are told one by one only so many times
    }
  });
});

test("no secret of a request or an answer is in the log", async () => {
  const settings = { metadata: { a: secret }, otel_collector_config: secret };
  const { runnerId } = await givenRunner(db, { orgId: mine.orgId });
  const path = `PATCH /v1/runners/${runnerId}/settings`;
  const changed = await broker.call(path, { token: admin, body: settings });
  const body = { name: "t", kind: "sa", role: "org_read_only" };
  const made = await broker.call<{ id: string; secret: string }>("POST /v1/tokens", {
    token: admin,
    body,
  });
  expect([changed.status, made.status]).toEqual([200, 201]);
  await broker.broker.audit.flush();
  const rows = await db`select row_to_json(e)::text as row from audit_events e`;
  const text = rows.map(({ row }) => String(row)).join("\n");
  expect(text).toContain(made.body.id);
  for (const word of [secret, made.body.secret, admin]) expect(text).not.toContain(word);
  expect(await dumpOf({ db })).not.toContain(made.body.secret);
});
