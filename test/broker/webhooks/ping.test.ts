import { createHmac } from "node:crypto";
import { CloudEvent, HTTP } from "cloudevents";
import { beforeAll, describe, expect, test } from "vitest";
import type { Webhook, WebhookAttempt } from "../../../shared/api/webhook.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type Receiver, startReceiver } from "../../support/queues/start-receiver.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

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
