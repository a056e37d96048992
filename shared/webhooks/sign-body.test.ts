import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { signBody } from "./sign-body.ts";

const at = new Date("2021-02-25T07:27:23.999Z"); // 1614238043
const body = '{"a":"ü"}';
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);

describe("the signature of a body", () => {
  test("is the lowercase hex digest of its bytes", () => {
    // RFC 4231, test case 2.
    const headers = signBody("Jefe", "what do ya want for nothing?", { id: "1", at });
    expect(headers["x-svc-signature"]).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  test("covers the bytes, however they are given", () => {
    const ofText = signBody("key", body, { id: "1", at });
    expect(signBody("key", Buffer.from(body), { id: "1", at })).toEqual(ofText);
    expect(signBody("key", `${body} `, { id: "1", at })).not.toEqual(ofText);
  });

  test("is Standard Webhooks' beside it, with id and time in seconds", () => {
    const headers = signBody("key", body, { id: "evt_1", at });
    const signed = hmac("key", `evt_1.1614238043.${body}`).digest("base64");
    expect(headers).toEqual({
      "webhook-id": "evt_1",
      "webhook-timestamp": "1614238043",
      "webhook-signature": `v1,${signed}`,
      "x-svc-signature": hmac("key", body).digest("hex"),
    });
  });

  test("takes a whsec_ secret as base64 for Standard Webhooks, and as it stands for ours", () => {
    // The example of Standard Webhooks' own libraries.
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const text = '{"test": 2432232314}';
    const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const headers = signBody(secret, text, { id, at: new Date(1_614_265_330_000) });
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    expect(headers["x-svc-signature"]).toBe(hmac(secret, text).digest("hex"));
  });

  test.each(["whsec_", "whsec_not base64!", "whsec_abc"])("takes %j as it stands", (secret) => {
    const headers = signBody(secret, body, { id: "1", at });
    const signed = hmac(secret, `1.1614238043.${body}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
  });

  test("by the secret before a rotation comes second, and never alone in our header", () => {
    const headers = signBody("new", body, { id: "1", at, previousSecret: "old" });
    const [first, second] = ["new", "old"].map(
      (key) => `v1,${hmac(key, `1.1614238043.${body}`).digest("base64")}`,
    );
    expect(headers["webhook-signature"]).toBe(`${first} ${second}`);
    expect(headers["x-svc-signature"]).toBe(hmac("new", body).digest("hex"));
  });

  test("is left out without a secret", () => {
    expect(signBody(undefined, body, { id: "1", at, previousSecret: "old" })).toEqual({
      "webhook-id": "1",
      "webhook-timestamp": "1614238043",
    });
  });
});

type IsSigned = (headers: object, bytes: Uint8Array, secrets: readonly string[]) => boolean;

test("the check of docs/webhooks.md takes what is signed, by any of its secrets, and nothing else", async () => {
  const page = await readFile("docs/webhooks.md", "utf8");
  const [, code = ""] = /<!-- check-signature -->\n```js\n([^]*?)```/.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { isSigned } = (await import(/* @vite-ignore */ url)) as { isSigned: IsSigned };
  const headers = signBody("key", body, { id: "1", at });
  const bytes = Buffer.from(body);
  expect(isSigned(headers, bytes, ["key"])).toBe(true);
  expect(isSigned(headers, bytes, ["former", "key"])).toBe(true);
  expect(isSigned(headers, bytes, ["former"])).toBe(false);
  expect(isSigned(headers, Buffer.from(`${body} `), ["key"])).toBe(false);
  expect(isSigned({}, bytes, ["key"])).toBe(false);
});
