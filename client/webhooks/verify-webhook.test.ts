import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signBody } from "../../shared/webhooks/sign-body.ts";
import { SvcError } from "../svc-error.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const at = new Date("2026-11-21T08:30:00.000Z");
const body = '{"id":"evt_1","a":"ü"}';
const now = () => at.getTime();
const sign = (secret: string, previousSecret?: string) =>
  signBody(secret, body, { id: "evt_1", at, previousSecret });
const { "x-svc-signature": untimedSignature } = sign("key");
const untimedHeaders = { "x-svc-signature": untimedSignature, "webhook-id": "evt_2" };

/** The code of the refusal; `taken` where there was none. */
function outcome(check: () => unknown): string {
  try {
    check();
    return "taken";
  } catch (error) {
    return error instanceof SvcError ? error.code : String(error);
  }
}

describe("a webhook's request", () => {
  test("is taken when one of the secrets signed it with its time, and has its id", () => {
    const taken = { id: "evt_1", sentAt: at };
    expect(verifyWebhook(body, sign("key"), "key", { now })).toEqual(taken);
    expect(verifyWebhook(Buffer.from(body), sign("key"), ["other", "key"], { now })).toEqual(taken);
    expect(verifyWebhook(body, new Headers(sign("new", "old")), "old", { now })).toEqual(taken);
    const upper: Record<string, string[]> = {};
    for (const [name, value] of Object.entries(sign("key"))) upper[name.toUpperCase()] = [value];
    expect(verifyWebhook(body, upper, "key", { now })).toEqual(taken);
  });

  test("is taken by the key that a whsec_ secret stands for", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    // The example of Standard Webhooks' own libraries.
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const text = '{"test": 2432232314}';
    const then = () => 1_614_265_330_000;
    expect(verifyWebhook(text, headers, secret, { now: then }).id).toBe(headers["webhook-id"]);
  });

  test.each([
    ["another id", { "webhook-id": "evt_2" }, "webhook_not_ours"],
    ["another time", { "webhook-timestamp": "1763713801" }, "webhook_not_ours"],
    ["no time", { "webhook-timestamp": "" }, "webhook_unsigned"],
    ["a time that is none", { "webhook-timestamp": "1e9" }, "webhook_unsigned"],
    ["an empty signature", { "webhook-signature": "" }, "webhook_not_ours"],
    ["a signature of another kind", { "webhook-signature": "v2,x" }, "webhook_not_ours"],
  ])("with %s is refused", (_, headers, code) => {
    const check = () => verifyWebhook(body, { ...sign("key"), ...headers }, "key", { now });
    expect(outcome(check)).toBe(code);
  });

  test("of another body, or by another secret, is refused", () => {
    const headers = sign("key");
    expect(outcome(() => verifyWebhook(`${body} `, headers, "key", { now }))).toBe(
      "webhook_not_ours",
    );
    expect(outcome(() => verifyWebhook(body, headers, "other", { now }))).toBe("webhook_not_ours");
  });

  test.each([
    [300_000, "taken"],
    [300_001, "webhook_too_old"],
    [-300_000, "taken"],
    [-300_001, "webhook_too_old"],
  ])("that was signed %i ms before: %s", (laterMs, expected) => {
    const later = () => at.getTime() + laterMs;
    expect(outcome(() => verifyWebhook(body, sign("key"), "key", { now: later }))).toBe(expected);
  });

  test("without a time is taken only where that was asked for, by the id that was signed", () => {
    expect(outcome(() => verifyWebhook(body, untimedHeaders, "key"))).toBe("webhook_unsigned");
    const options = { untimed: true };
    expect(verifyWebhook(body, untimedHeaders, ["old", "key"], options)).toEqual({ id: "evt_1" });
    expect(outcome(() => verifyWebhook(body, untimedHeaders, "other", options))).toBe(
      "webhook_not_ours",
    );
    expect(outcome(() => verifyWebhook(body, {}, "key", options))).toBe("webhook_unsigned");
    const text = "no JSON";
    const signature = createHmac("sha256", "key").update(text).digest("hex");
    const headers = { "x-svc-signature": signature, "webhook-id": "evt_2" };
    expect(verifyWebhook(text, headers, "key", options)).toEqual({ id: undefined });
  });

  test("with a time that is wrong is not taken for one without", () => {
    const old = () => at.getTime() + 3_600_000;
    const check = () => verifyWebhook(body, sign("key"), "key", { untimed: true, now: old });
    expect(outcome(check)).toBe("webhook_too_old");
  });

  test.each([[""], [[]], [["key", ""]]])("is checked by no empty secret: %j", (secrets) => {
    expect(outcome(() => verifyWebhook(body, sign("key"), secrets, { now }))).toContain(
      "TypeError",
    );
  });
});
