import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createClient } from "../../client/create-client.ts";
import { type Received, startReceiver } from "../support/queues/start-receiver.ts";

const json = { "content-type": "application/json" };
const problem = { "content-type": "application/problem+json", "x-request-id": "req_12345678" };
const fine = { status: 200, headers: json, body: '{"id":"x"}' };
const soon = { "retry-after": "0" };

/** A client of a server that answers so, one after the other, and then that all is well. */
async function setup(
  ...replies: readonly NonNullable<Parameters<typeof startReceiver>[0]>[string][]
) {
  const reply = (nth: number) => replies[nth - 1]?.(nth) ?? fine;
  const { url, received } = await startReceiver({ "/v1/x": reply });
  const client = createClient({ url, token: "svc_sa_secret" }, new Set(["/v1/x"]));
  return { url, received, client };
}

const refusal =
  (status: number, code: string, more: Record<string, string> = {}) =>
  () => ({
    status,
    headers: { ...problem, ...more },
    body: JSON.stringify({ status, code, detail: `It is ${code}.`, errors: [] }),
  });
const keysOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers["idempotency-key"]);

describe("a call", () => {
  test("has token, org and JSON, and answers the body, or all", async () => {
    const { url, received } = await setup();
    const client = createClient({
      url,
      token: async () => await Promise.resolve("t_2"),
      orgId: "o",
    });
    expect(await client.put("/v1/x", { body: { a: 1 } })).toEqual({ id: "x" });
    expect(await client.call("get", "/v1/x")).toMatchObject({ status: 200, body: { id: "x" } });
    const [put, get] = received;
    expect(put).toMatchObject({ method: "PUT", body: '{"a":1}' });
    expect(put?.headers).toMatchObject({
      authorization: "Bearer t_2",
      "x-svc-org-id": "o",
      ...json,
    });
    expect(get?.headers).not.toHaveProperty("content-type");
  });

  test("that is refused tells status, code, request id and places, and is made once", async () => {
    const { received, client } = await setup(refusal(422, "invalid"));
    await expect(client.get("/v1/x")).rejects.toMatchObject({
      name: "SvcError",
      message: "It is invalid.",
      status: 422,
      code: "invalid",
      requestId: "req_12345678",
      errors: [],
    });
    expect(received).toHaveLength(1);
  });

  test("is made again when it is refused for the moment, as soon as the answer says", async () => {
    const later = [refusal(429, "busy", soon), () => ({ status: 503, headers: soon, body: "<p>" })];
    const { received, client } = await setup(...later);
    expect(await client.get("/v1/x")).toEqual({ id: "x" });
    expect(received).toHaveLength(3);
  });

  test("is left to its caller when it is to be made in an hour, or as often as it may be", async () => {
    const hour = await setup(refusal(429, "queue_full", { "retry-after": "3600" }));
    await expect(hour.client.get("/v1/x")).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    const often = await setup(...Array.from({ length: 9 }, () => refusal(503, "busy", soon)));
    await expect(often.client.get("/v1/x", { retries: 2 })).rejects.toMatchObject({ code: "busy" });
    expect([hour.received.length, often.received.length]).toEqual([1, 3]);
  });

  test("by POST is made again with the same key, and not without one", async () => {
    const { received, client } = await setup(refusal(409, "idempotency_in_flight", soon));
    expect(await client.post("/v1/x", { body: {} })).toEqual({ id: "x" });
    const [first, second] = keysOf(received);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).toBe(first);

    const own = await setup();
    await own.client.post("/v1/x", { idempotencyKey: "mine" });
    expect(keysOf(own.received)).toEqual(["mine"]);

    for (const input of [{ idempotencyKey: null }, { body: new Uint8Array([1]) }]) {
      const once = await setup(refusal(503, "busy", soon));
      await expect(once.client.post("/v1/x", input)).rejects.toMatchObject({ code: "busy" });
      expect(keysOf(once.received)).toEqual([undefined]);
    }
  });

  test("by POST to a route that ignores the key is made once, unless its caller wants it again", async () => {
    const once = await setup(refusal(503, "busy", soon));
    const unkeyed = createClient({ url: once.url });
    await expect(unkeyed.post("/v1/x")).rejects.toMatchObject({ code: "busy" });
    expect(once.received).toHaveLength(1);

    const twice = await setup(refusal(503, "busy", soon));
    const wanting = createClient({ url: twice.url });
    expect(await wanting.post("/v1/x", { retries: 1 })).toEqual({ id: "x" });
  });

  test("by DELETE that finds nothing is done if an earlier attempt was not answered, and refused else", async () => {
    const missing = refusal(404, "x_not_found");
    const lost = () => ({ status: 502, headers: soon, body: "<p>" });
    const done = await setup(lost, missing);
    expect(await done.client.delete("/v1/x")).toBeUndefined();
    for (const before of [[], [refusal(429, "busy", soon)]]) {
      const { client } = await setup(...before, missing);
      await expect(client.delete("/v1/x")).rejects.toMatchObject({ code: "x_not_found" });
    }
    const read = await setup(lost, missing);
    await expect(read.client.get("/v1/x")).rejects.toMatchObject({ code: "x_not_found" });
  });

  test("does not wait for a token longer than for an answer, or than its caller", async () => {
    const { url, received } = await setup();
    const client = createClient({ url, token: () => new Promise(() => {}), retries: 0 });
    await expect(client.get("/v1/x", { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
    for (const call of [
      (signal: AbortSignal) => client.get("/v1/x", { signal }),
      (signal: AbortSignal) => client.followLog("lgs_1", { signal }).next(),
    ]) {
      const leaving = new AbortController();
      const answer = call(leaving.signal);
      leaving.abort(new Error("enough"));
      await expect(answer).rejects.toThrow("enough");
    }
    expect(received).toEqual([]);
  });

  test("tells what its token's function throws as it is", async () => {
    const { url } = await setup();
    const client = createClient({ url, token: () => Promise.reject(new Error("no vault")) });
    await expect(client.get("/v1/x")).rejects.toThrow("no vault");
  });

  test("that changes one version only is made once", async () => {
    const { received, client } = await setup(refusal(503, "busy", soon));
    const headers = { "If-Match": '"1"' };
    await expect(client.patch("/v1/x", { headers, body: {} })).rejects.toMatchObject({
      status: 503,
    });
    expect(received).toHaveLength(1);
  });

  test("follows no redirect, so that the token stays where it belongs", async () => {
    const other = await startReceiver();
    const { client } = await setup(() => ({ status: 307, headers: { location: other.url } }));
    await expect(client.get("/v1/x")).rejects.toMatchObject({ code: "redirected", status: 307 });
    await expect(client.get("//x/../..")).rejects.toThrow(TypeError);
    expect(other.received).toEqual([]);
  });

  test("ends by its caller's signal, with the reason of it, and by its time", async () => {
    const never = () => new Promise<never>(() => {});
    const { received, client } = await setup(never, never);
    const leaving = new AbortController();
    const call = client.get("/v1/x", { signal: leaving.signal });
    await expect.poll(() => received.length).toBe(1);
    leaving.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect(client.get("/v1/x", { timeoutMs: 20, retries: 0 })).rejects.toMatchObject({
      code: "timeout",
      status: 0,
    });
  });

  test("does not wait for its turn to be made again when its caller's signal aborts", async () => {
    const { received, client } = await setup(refusal(503, "busy", { "retry-after": "50" }));
    const leaving = new AbortController();
    const call = client.get("/v1/x", { signal: leaving.signal });
    await expect.poll(() => received.length).toBe(1);
    leaving.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  test("reads no more than it may, and no JSON that is none", async () => {
    const long = () => ({ status: 200, headers: json, body: JSON.stringify("x".repeat(2000)) });
    const { url, client } = await setup(long, () => ({ status: 200, headers: json, body: "{" }));
    const small = createClient({ url, maxAnswerBytes: 1000 });
    await expect(small.get("/v1/x")).rejects.toMatchObject({ code: "answer_too_large" });
    await expect(client.get("/v1/x")).rejects.toMatchObject({ code: "bad_answer" });
  });

  test("that nobody answers says so, without the token", async () => {
    const client = createClient({ url: "http://127.0.0.1:1", token: "svc_sa_secret", retries: 0 });
    const error = await client.get("/v1/x").catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unreachable", status: 0 });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("svc_sa_secret");
  });

  test("uses the fetch that it is given", async () => {
    const asked: unknown[] = [];
    const client = createClient({
      url: "https://broker.example/base/",
      fetch: async (url, { method, redirect }) => {
        asked.push([method, url, redirect]);
        return await Promise.resolve(Response.json({ ok: true }));
      },
    });
    expect(await client.delete("/v1/{id}", { params: { id: "a b" } })).toEqual({ ok: true });
    expect(asked).toEqual([["DELETE", "https://broker.example/base/v1/a%20b", "manual"]]);
  });
});

test.each([{ "content-type": "text/html" }, json])(
  "a followed log that is answered with %j ends in an error",
  async (headers) => {
    const body = headers === json ? '{"logs":[]}' : "<p>";
    const { url } = await startReceiver({
      "/v1/log-streams/lgs_1/logs/tail": () => ({ status: 200, headers, body }),
    });
    const following = createClient({ url }).followLog("lgs_1");
    await expect(following.next()).rejects.toMatchObject({ code: "bad_answer", status: 200 });
  },
);

test("a list is read page by page, as its items are asked for", async () => {
  const page = (items: number[], next_cursor: string | null) => () => ({
    status: 200,
    headers: json,
    body: JSON.stringify({ items, next_cursor }),
  });
  const { url, received } = await startReceiver({
    "/v1/x?limit=2&status=a&cursor=": page([1, 2], "c"),
    "/v1/x?limit=2&status=a&cursor=c": page([3], null),
  });
  const client = createClient({ url });
  const query = { limit: 2, status: "a" };
  const items: unknown[] = [];
  for await (const item of client.list("/v1/x", { query })) items.push(item);
  expect(items).toEqual([1, 2, 3]);
  for await (const item of client.list("/v1/x", { query })) if (item === 2) break;
  expect(received).toHaveLength(3);
});
