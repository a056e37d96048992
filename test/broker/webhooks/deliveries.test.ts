import { CloudEvent, HTTP } from "cloudevents";
import { describe, expect, test } from "vitest";
import type { ShownDelivery } from "../../../shared/api/webhook-deliveries.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";
import { expectDescribed } from "../../support/webhooks/expect-sound-events.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi, webhooksPath as path } from "../../support/webhooks/webhooks-api.ts";

const { db, call, setup, givenReceiving } = await givenWebhooksApi();

/** The headers that the API's document describes of a delivery. */
async function describedHeaders(): Promise<string[]> {
  type Document = { webhooks: Record<string, { post: { parameters: { name: string }[] } }> };
  const { body } = await call<Document>("GET /openapi.json");
  return (body.webhooks["com.svc.workflow.lifecycle.v1"]?.post.parameters ?? []).map(
    ({ name }) => name,
  );
}

describe("a runner process that the broker gives up", () => {
  test("is told to the org's webhooks as a failed workflow of its install", async () => {
    const { orgId, receiver, webhook, deliveries } = await givenReceiving({}, { secret: "hush" });
    const runner = await givenRunner(db, { orgId });
    await givenProcess(db, runner);
    await advanceClock(db, "301 s");
    await until(async () => (await deliveries()).some(({ status }) => status === "delivered"));
    const [got] = receiver.received;
    if (got === undefined) throw new Error("nothing was received");
    const event = HTTP.toEvent({ headers: got.headers, body: got.body });
    if (!(event instanceof CloudEvent)) throw new Error("it is no single event");
    expect(event.validate()).toBe(true);
    expectDescribed(got.body);
    const headers = Object.keys(got.headers).filter((name) => /^(?:x-svc|webhook)-/.test(name));
    expect(headers.toSorted()).toEqual((await describedHeaders()).toSorted());
    expect(event).toMatchObject({
      type: "com.svc.workflow.lifecycle.v1",
      svcorgid: orgId,
      svckind: "workflow",
      svctransition: "failed",
      interests: [
        "resource:runners",
        "op:runners.inactive",
        "event:lifecycle.failed",
        "outcome:completion",
        "outcome:failures",
      ],
      data: {
        kind: "workflow",
        transition: "failed",
        org_id: orgId,
        workflow: { type: "runner_inactive", owner_id: "ins_1", owner_type: "installs" },
        outcome: { status: "failed" },
      },
    });
    const { workflow, outcome } = event.data as Record<string, Record<string, unknown>>;
    expect(event.subject).toBe(`${orgId}/workflow/${String(workflow?.["id"])}/failed`);
    expect(outcome?.["error"]).toContain(runner.runnerId);
    expect(outcome?.["duration_ms"]).toBeGreaterThanOrEqual(300_000);
    expect(got.headers).toMatchObject({
      "x-svc-webhook-id": webhook.id,
      "x-svc-attempt": "1",
      "x-svc-sequence": "1",
      "webhook-id": event.id,
    });
  });
});

test("who gets an event is decided by interests and match, and by who was there", async () => {
  const wanting = { resources: { installs: { ops: ["deprovision"], outcome: "failures" } } };
  const { orgId, receiver, create } = await givenReceiving({}, { interests: wanting });
  const { url } = receiver;
  await create({ url: `${url}/all` });
  await create({ url: `${url}/ins_1`, match: { installs: { ids: ["ins_1"] } } });
  await create({
    url: `${url}/prod`,
    match: { installs: { selector: { match_labels: { env: "prod" } } } },
  });
  const of = (id: string, env: string) => [{ kind: "installs", id, labels: { env } } as const];
  await givenEvents(db, [
    { orgId, op: "deprovision", transition: "failed", entities: of("ins_1", "test") },
    { orgId, op: "deprovision", entities: of("ins_2", "prod") },
    { orgId, transition: "failed", entities: of("ins_3", "test") },
  ]);
  const got = () => receiver.received.map((one) => one.path).toSorted();
  const expected = ["/all", "/all", "/all", "/ins_1", "/ok", "/prod"];
  await until(() => Promise.resolve(got().length >= expected.length));
  expect(got()).toEqual(expected);
  await create({ url: `${url}/later` });
  await givenEvents(db, [{ orgId, entities: of("ins_4", "test") }]);
  await until(() => Promise.resolve(got().includes("/later")));
  expect(got().filter((one) => one === "/later")).toHaveLength(1);
});

test("a delivery is listed and shown with what was sent and each attempt", async () => {
  const { orgId, token, webhook, deliveries } = await givenReceiving(
    { "/401": () => ({ status: 401, body: "who are you?" }) },
    { where: "/401" },
  );
  await givenEvents(db, [{ orgId, workflowId: "wfl_1" }]);
  await until(async () => (await deliveries()).some(({ status }) => status === "failed"));
  const [listed] = await deliveries();
  expect(listed).toMatchObject({
    webhook_id: webhook.id,
    event_type: "com.svc.workflow.lifecycle.v1",
    transition: "succeeded",
    workflow_id: "wfl_1",
    sequence: 1,
    status: "failed",
    attempts: 1,
    response_status: 401,
    next_attempt_at: null,
  });
  const one = `${path}/${webhook.id}/deliveries/${listed?.id ?? ""}`;
  const { body } = await call<ShownDelivery>(`GET ${one}`, { token });
  expect(JSON.parse(body.body)).toMatchObject({ id: listed?.event_id });
  const attempt = { number: 1, result: "failed", response_body: "who are you?" };
  expect(body.attempt_log).toMatchObject([attempt]);
  const none = await call(`GET ${path}/${webhook.id}/deliveries?status=pending`, { token });
  expect(none.body).toEqual([]);
  const other = await setup();
  for (const what of [`GET ${one}`, `POST ${one}/resend`, `POST ${path}/${webhook.id}/resend`]) {
    expect((await call(what, { token: other.token })).status).toBe(404);
  }
  const all = await call(`GET ${path}/${webhook.id}/deliveries`, { token: other.token });
  expect(all.status).toBe(404);
});
