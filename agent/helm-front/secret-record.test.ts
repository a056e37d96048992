import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { diverted } from "./diverted.ts";
import { readSecret, recordOf, secretOf } from "./secret-record.ts";

const text = `{"name":"app","version":3,"info":{"status":"deployed"},"config":{"n":1.0}}`;
const labels = { owner: "helm", name: "app", team: "blue" };

/** As helm packs it. */
const packed = (json: string): Buffer => Buffer.from(gzipSync(json).toString("base64"));

function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length: number[] = [];
  for (let left = bytes.length; ; left >>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

const entry = (number: number, key: string, value: Buffer | string): Buffer =>
  field(number, field(1, key), field(2, value));

const asProtobuf = Buffer.concat([
  Buffer.from("k8s\0"),
  field(1, field(1, "v1"), field(2, "Secret")),
  field(
    2,
    field(
      1,
      field(1, "sh.helm.release.v1.app.v3"),
      field(3, "shop"),
      ...Object.entries(labels).map(([name, value]) => entry(11, name, value)),
    ),
    entry(2, "release", packed(text)),
    field(3, "helm.sh/release.v1"),
  ),
]);

describe("a secret of helm's", () => {
  test("is read as protobuf and as JSON, and its record keeps helm's own text", () => {
    const asJson = JSON.stringify({
      metadata: { name: "sh.helm.release.v1.app.v3", labels },
      data: { release: packed(text).toString("base64") },
    });
    for (const body of [asProtobuf, Buffer.from(asJson)]) {
      const sent = readSecret(body);
      expect(sent).toMatchObject({ name: "sh.helm.release.v1.app.v3", labels });
      expect(recordOf(sent)).toBe(`${text.slice(0, -1)},"labels":${JSON.stringify(labels)}}`);
    }
  });

  test("comes back with its labels and helm's own", () => {
    const record = JSON.parse(recordOf(readSecret(asProtobuf))) as unknown;
    const secret = secretOf(record, "shop") as {
      metadata: object;
      data: { release: string };
    };
    expect(secret.metadata).toMatchObject({
      name: "sh.helm.release.v1.app.v3",
      namespace: "shop",
      labels: { ...labels, status: "deployed", version: "3" },
    });
    const inner = Buffer.from(secret.data.release, "base64").toString();
    const json = gunzipSync(Buffer.from(inner, "base64")).toString();
    expect(JSON.parse(json)).toEqual(JSON.parse(text));
  });

  test.each([
    ["is cut off", asProtobuf.subarray(0, 60), 400],
    ["is not JSON", Buffer.from("{"), 400],
    ["unpacks into more than may be", bomb(), 413],
    ["holds no release", Buffer.from(`{"metadata":{"name":"sh.helm.release.v1.a.v1"}}`), 400],
  ])("that %s is refused", (_, body, code) => {
    expect(() => recordOf(readSecret(body))).toThrow(expect.objectContaining({ code }) as Error);
  });
});

function bomb(): Buffer {
  const release = packed(`{"name":"${"a".repeat(17 * 2 ** 20)}"}`).toString("base64");
  return Buffer.from(JSON.stringify({ metadata: { name: "x" }, data: { release } }));
}

test("helm's secrets alone are diverted", () => {
  const base = "/api/v1/namespaces/shop/secrets";
  const of = (method: string, target: string) => diverted(method, target, "home");
  expect(of("GET", `${base}/sh.helm.release.v1.app.v1`)).toEqual({
    what: "one",
    namespace: "shop",
    key: "sh.helm.release.v1.app.v1",
  });
  expect(of("GET", `${base}?labelSelector=name%3Dapp%2Cowner%3Dhelm%2Cstatus%3Ddeployed`)).toEqual({
    what: "list",
    namespace: "shop",
    labels: { name: "app", owner: "helm", status: "deployed" },
  });
  expect(of("GET", "/api/v1/secrets?labelSelector=owner=helm")).toMatchObject({
    namespace: "home",
  });
  expect(of("POST", base)).toEqual({ what: "create", namespace: "shop" });
  for (const target of [
    base,
    `${base}?watch=true`,
    `${base}/other`,
    `${base}?labelSelector=owner%3Dsomebody`,
    "/api/v1/namespaces/shop/configmaps/sh.helm.release.v1.app.v1",
    "/apis/apps/v1/namespaces/shop/secrets/sh.helm.release.v1.app.v1",
  ]) {
    expect([target, of("GET", target)]).toEqual([target, undefined]);
  }
});
