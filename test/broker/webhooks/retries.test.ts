import { describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi } from "../../support/webhooks/webhooks-api.ts";

const { db, call, givenReceiving } = await givenWebhooksApi();

/** Answers with these statuses in turn, and with the last of them from then on. */
const inTurn =
  (...statuses: number[]) =>
  (nth: number) => ({ status: statuses[nth - 1] ?? statuses.at(-1) ?? 200 });

async function auditOf(orgId: string): Promise<string[]> {
  const rows = await db<{ text: string }[]>`
    select action || ' ' || code as text from audit_events
     where org_id = ${orgId} and actor_id = 'broker' order by at, id`;
  return rows.map(({ text }) => text);
}

test("what fails is tried again later, with the same bytes and the same id", async () => {
  const { orgId, receiver, deliveries } = await givenReceiving({ "/ok": inTurn(500, 302, 200) });
  await givenEvents(db, [{ orgId }]);
  for (const attempts of [1, 2]) {
    await until(async () => (await deliveries())[0]?.attempts === attempts);
    expect((await deliveries())[0]).toMatchObject({ status: "pending" });
    await advanceClock(db, "1 min");
  }
  await until(async () => (await deliveries())[0]?.status === "delivered");
  const told = receiver.received.map(({ headers, body }) => [headers["webhook-id"], body]);
  expect(told).toHaveLength(3);
  expect(new Set(told.map(String)).size).toBe(1);
  const attempts = receiver.received.map(({ headers }) => headers["x-svc-attempt"]);
  expect(attempts).toEqual(["1", "2", "3"]);
});

test("a delivery that fails holds up the next of its workflow for four tries, and no other workflow", async () => {
  const failing = await givenReceiving({ "/ok": inTurn(500, 200, 500, 500, 500, 200) });
  await givenEvents(db, [{ orgId: failing.orgId, workflowId: "wfl_a" }]);
  await until(async () => (await failing.deliveries())[0]?.attempts === 1);
  await givenEvents(db, [
    { orgId: failing.orgId, workflowId: "wfl_a" },
    { orgId: failing.orgId, workflowId: "wfl_b" },
  ]);
  await until(async () => (await failing.deliveries())[2]?.status === "delivered");
  for (const [attempts, wait] of [
    [2, "7 s"],
    [3, "40 s"],
    [4, "3 min"],
  ] as const) {
    expect((await failing.deliveries())[1]).toMatchObject({ status: "pending", attempts: 0 });
    await advanceClock(db, wait);
    await until(async () => (await failing.deliveries())[0]?.attempts === attempts);
  }
  await until(async () => (await failing.deliveries())[1]?.status === "delivered");
  expect((await failing.deliveries())[0]).toMatchObject({ status: "pending", is_detached: true });
  await advanceClock(db, "15 min");
  await until(async () => (await failing.deliveries())[0]?.status === "delivered");
});

test("a receiver that asks for time gets it, for all that is to come", async () => {
  const slow = (nth: number) =>
    nth === 1 ? { status: 429, headers: { "retry-after": "1800" } } : { status: 200 };
  const { orgId, deliveries, statuses } = await givenReceiving({ "/ok": slow });
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  await until(async () => (await deliveries())[0]?.attempts === 1);
  await givenEvents(db, [{ orgId, workflowId: "wfl_b" }]);
  await until(async () => (await deliveries()).length === 2);
  const next = Date.parse((await deliveries())[0]?.next_attempt_at ?? "");
  const tried = Date.parse((await deliveries())[0]?.last_attempt_at ?? "");
  expect(next - tried).toBeGreaterThanOrEqual(1_799_000);
  await advanceClock(db, "20 min");
  expect(await statuses()).toEqual(["pending", "pending"]);
  await advanceClock(db, "11 min");
  await until(async () => (await statuses()).every((status) => status === "delivered"));
});

describe("a webhook whose receiver", () => {
  test("answers 410 is disabled at once, and gets nothing until a ping arrives", async () => {
    const { orgId, token, own, show, statuses, receiver, deliveries } = await givenReceiving({
      "/ok": inTurn(410, 200),
    });
    await givenEvents(db, [
      { orgId, workflowId: "wfl_a" },
      { orgId, workflowId: "wfl_a" },
    ]);
    await until(async () => (await show()).disabled_reason === "gone");
    expect(await statuses()).toEqual(["failed", "failed"]);
    expect((await deliveries())[1]).toMatchObject({ attempts: 0, error_code: "webhook_disabled" });
    expect(await auditOf(orgId)).toEqual(["disableWebhook gone"]);
    const resend = await call(`POST ${own}/resend`, { token, body: {} });
    expect(resend).toMatchObject({ status: 409, body: { code: "webhook_disabled" } });
    await givenEvents(db, [{ orgId }]);
    const ping = await call(`POST ${own}/ping?resend=failed`, { token });
    expect(ping.body).toMatchObject({ result: "delivered", is_enabled_again: true, resent: 2 });
    await until(async () => (await statuses()).slice(0, 2).every((one) => one === "delivered"));
    expect(await show()).toMatchObject({ disabled_at: null, disabled_reason: null });
    expect(await auditOf(orgId)).toEqual(["disableWebhook gone", "enableWebhook ping"]);
    expect(receiver.received.length).toBeLessThanOrEqual(5);
  });

  test("fails for a day and twenty events is disabled, after notices", async () => {
    const { orgId, show, statuses } = await givenReceiving({ "/ok": inTurn(500) });
    const some = Array.from({ length: 20 }, (_, n) => ({ orgId, workflowId: `wfl_${n}` }));
    await givenEvents(db, some);
    await until(async () => (await show()).failing_events === 20);
    expect(await show()).toMatchObject({ disabled_at: null });
    for (const [wait, code] of [
      ["13 h", "failing_50"],
      ["5 h", "failing_70"],
      ["4 h", "failing_90"],
    ] as const) {
      await advanceClock(db, wait);
      await givenEvents(db, [{ orgId }]);
      await until(async () => (await auditOf(orgId)).includes(`warnOfWebhook ${code}`));
    }
    await advanceClock(db, "3 h");
    await until(async () => (await show()).disabled_reason === "failing");
    expect(new Set(await statuses())).toEqual(new Set(["failed"]));
    expect(await auditOf(orgId)).toEqual([
      "warnOfWebhook failing_50",
      "warnOfWebhook failing_70",
      "warnOfWebhook failing_90",
      "disableWebhook failing",
    ]);
  });

  test("answers 401 fails for good, and is not disabled by it", async () => {
    const { orgId, show, statuses } = await givenReceiving({ "/ok": inTurn(401) });
    await givenEvents(
      db,
      Array.from({ length: 25 }, () => ({ orgId })),
    );
    await until(async () => (await statuses()).filter((one) => one === "failed").length === 25);
    expect(await show()).toMatchObject({ disabled_at: null, failing_since: null });
  });
});

test("a resend is tried once, in the same bytes; what is pending is not resent", async () => {
  const { orgId, token, own, receiver, deliveries, statuses } = await givenReceiving({
    "/ok": inTurn(401, 500, 200),
  });
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  await until(async () => (await statuses())[0] === "failed");
  const one = `${own}/deliveries/${(await deliveries())[0]?.id ?? ""}`;
  for (const status of ["failed", "delivered"]) {
    expect((await call(`POST ${one}/resend`, { token })).status).toBe(202);
    await until(async () => (await statuses())[0] === status && receiver.received.length > 1);
    const attempts = status === "failed" ? 2 : 3;
    await until(async () => (await deliveries())[0]?.attempts === attempts);
  }
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  const stuck = await givenReceiving({ "/ok": inTurn(500) });
  await givenEvents(db, [{ orgId: stuck.orgId }]);
  await until(async () => (await stuck.deliveries())[0]?.attempts === 1);
  const pending = `${stuck.own}/deliveries/${(await stuck.deliveries())[0]?.id ?? ""}`;
  const refused = await call(`POST ${pending}/resend`, { token: stuck.token });
  expect(refused).toMatchObject({ status: 409, body: { code: "delivery_pending" } });
});

test("what fits a filter is resent: by status, time and workflow", async () => {
  const { orgId, token, own, receiver, statuses } = await givenReceiving({
    "/ok": inTurn(401, 401, 401, 200),
  });
  const workflows = ["wfl_a", "wfl_b", "wfl_c"];
  await givenEvents(
    db,
    workflows.map((workflowId) => ({ orgId, workflowId })),
  );
  await until(async () => (await statuses()).filter((one) => one === "failed").length === 3);
  const resend = (body: object) => call<{ resent: number }>(`POST ${own}/resend`, { token, body });
  const [past, future] = ["2020-01-01T00:00:00Z", "2990-01-01T00:00:00Z"];
  for (const nothing of [{ since: future }, { until: past }, { status: "delivered" }]) {
    expect((await resend(nothing)).body).toEqual({ resent: 0, has_more: false });
  }
  expect((await resend({ workflow_id: "wfl_b" })).body.resent).toBe(1);
  await until(async () => (await statuses()).join() === "failed,delivered,failed");
  expect((await resend({ since: past, until: future })).body.resent).toBe(2);
  await until(async () => (await statuses()).every((one) => one === "delivered"));
  expect(receiver.received).toHaveLength(6);
});
