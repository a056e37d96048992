import { createHmac } from "node:crypto";
import { CloudEvent, HTTP } from "cloudevents";
import { beforeAll, describe, expect, test } from "vitest";
import type { Webhook, WebhookAttempt } from "../../../shared/api/webhook.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type Receiver, startReceiver } from "../../support/queues/start-receiver.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { expectDescribed } from "../../support/webhooks/expect-sound-events.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });
const strict = await startBroker({ url, env: { SVC_EGRESS: "strict" } });
const path = "/v1/orgs/current/webhooks";
const orgId = await givenOrg(db);
const token = await givenToken(db, { orgId });
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({
    "/teapot": () => ({ status: 418, body: "short and stout" }),
    "/moved": () => ({ status: 302, headers: { location: "/elsewhere" } }),
    "/large": () => ({ status: 200, body: "x".repeat(1_000_000) }),
  });
});

async function given(body: { url: string; secret?: string }): Promise<string> {
  const { body: made } = await call<Webhook>(`POST ${path}`, { token, body });
  return made.id;
}

async function ping(id: string, through = call): Promise<WebhookAttempt> {
  const { status, body } = await through<WebhookAttempt>(`POST ${path}/${id}/ping`, { token });
  expect(status).toBe(200);
  return body;
}

describe("a ping", () => {
  test("delivers a signed event that CloudEvents' own reader accepts", async () => {
    const id = await given({ url: `${receiver.url}/ok`, secret: "first" });
    await call(`PATCH ${path}/${id}`, { token, body: { webhook_secret: "whsec_c2Vjb25k" } });
    const attempt = await ping(id);
    expect(attempt).toMatchObject({ result: "delivered", response_status: 200, error: null });
    const got = receiver.received.find((one) => one.path === "/ok");
    if (got === undefined) throw new Error("nothing was received");
    const { headers, body } = got;
    expect(headers).toMatchObject({
      "content-type": "application/cloudevents+json; charset=utf-8",
      "webhook-id": attempt.event_id,
      "x-svc-webhook-id": id,
    });
    const hex = createHmac("sha256", "whsec_c2Vjb25k").update(body).digest("hex");
    expect(headers["x-svc-signature"]).toBe(hex);
    const signed = `${attempt.event_id}.${String(headers["webhook-timestamp"])}.${body}`;
    const signatures = ["second", "first"].map(
      (key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    );
    expect(headers["webhook-signature"]).toBe(signatures.join(" "));
    const event = HTTP.toEvent({ headers, body });
    if (!(event instanceof CloudEvent)) throw new Error("it is no single event");
    expect(event.validate()).toBe(true);
    expect(event.id).toMatch(/^ping-/);
    expect(event).toMatchObject({
      svcorgid: orgId,
      svckind: "workflow",
      data: { org_id: orgId, transition: "succeeded" },
    });
  });

  test("without a secret is not signed", async () => {
    await ping(await given({ url: `${receiver.url}/plain` }));
    const got = receiver.received.find((one) => one.path === "/plain");
    expect(got?.headers["x-svc-signature"]).toBeUndefined();
    expect(got?.headers["webhook-signature"]).toBeUndefined();
  });

  test.each([
    ["/teapot", { response_status: 418, error_code: "status", response_body: "short and stout" }],
    ["/moved", { response_status: 302, error_code: "redirect" }],
  ])("of %s is a failure that is told, with 200", async (where, told) => {
    const attempt = await ping(await given({ url: receiver.url + where }));
    expect(attempt).toMatchObject({ result: "failed", ...told });
    expect(receiver.received.some((one) => one.path === "/elsewhere")).toBe(false);
  });

  test("shows little of a long answer, and nothing listens is refused", async () => {
    const long = await ping(await given({ url: `${receiver.url}/large` }));
    expect(long.response_body).toHaveLength(16 * 1024);
    const nobody = await ping(await given({ url: "http://127.0.0.1:1/" }));
    expect(nobody).toMatchObject({
      result: "failed",
      response_status: null,
      error_code: "refused",
    });
  });

  test("to an address that this broker may not call is a failed attempt", async () => {
    const attempt = await ping(await given({ url: `${receiver.url}/inside` }), strict.call);
    expect(attempt).toMatchObject({ result: "failed", error_code: "blocked_address" });
  });
});

describe("a sample", () => {
  const trigger = async (id: string, query: string) =>
    await call<WebhookAttempt & { errors: { pointer: string; detail: string }[] }>(
      `POST ${path}/${id}/ping?${query}`,
      { token },
    );

  test.each([
    ["event=actions.run&transition=requested", "workflow_step", "actions.run", "requested"],
    ["event=components.drift", "workflow_step", "components.drift", "detected"],
    ["event=runners.inactive", "workflow", "runners.inactive", "failed"],
    ["kind=workflow_step&transition=started", "workflow_step", "installs.provision", "started"],
  ])("of %s is what the document says, whatever the webhook wants", async (...given) => {
    const [query, kind, op, transition] = given;
    const at = `/${op}-${transition}`;
    const { body: made } = await call<Webhook>(`POST ${path}`, {
      token,
      body: { url: receiver.url + at, secret: "hush", interests: { resources: {} } },
    });
    const sent = await trigger(made.id, query);
    expect(sent).toMatchObject({ status: 200, body: { result: "delivered" } });
    const got = receiver.received.find((one) => one.path === at);
    expectDescribed(got?.body ?? "");
    expect(JSON.parse(got?.body ?? "")).toMatchObject({
      id: sent.body.event_id,
      svcorgid: orgId,
      svckind: kind,
      svctransition: transition,
      interests: expect.arrayContaining([`op:${op}`]) as unknown,
    });
    expect(sent.body.event_id).toMatch(/^ping-/);
    expect(await db`select from events where id = ${sent.body.event_id}`).toHaveLength(0);
  });

  test.each([
    ["event=planets.land", "?event", "installs.provision"],
    ["transition=landed", "?transition", "rejected"],
    ["event=runners.inactive&transition=started", "?transition", "failed"],
    ["event=runners.inactive&kind=workflow_step", "?kind", "No event of this kind"],
  ])("of %s is refused, and nothing is sent", async (query, pointer, words) => {
    const at = `/refused?${query}`;
    const id = await given({ url: receiver.url + at });
    const { status, body } = await trigger(id, query);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer }]);
    expect(body.errors[0]?.detail).toContain(words);
    expect(receiver.received.some((one) => one.path === at)).toBe(false);
  });

  test("is for who may write webhooks, and is in the audit log", async () => {
    const id = await given({ url: `${receiver.url}/audited` });
    const reader = await givenToken(db, { orgId, role: "org_support" });
    const refused = await call(`POST ${path}/${id}/ping?event=actions.run`, { token: reader });
    expect(refused.status).toBe(403);
    expect((await trigger(id, "event=actions.run")).status).toBe(200);
    const acts = await call<{ items: { action: string; outcome: string; status: number }[] }>(
      `GET /v1/audit?target_id=${id}`,
      { token },
    );
    const told = acts.body.items.filter(({ action }) => action === "pingWebhook");
    expect(told.map(({ outcome, status }) => [outcome, status])).toEqual([
      ["allowed", 200],
      ["refused", 403],
    ]);
  });
});
