import { describe, expect, test } from "vitest";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { claimSignals } from "../../support/queues/given-signals.ts";
import { givenSignalsApi } from "../../support/queues/signals-api.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { db, orgId, mine, enqueue, refusal } = await givenSignalsApi();

describe("a refusal", () => {
  const past = "2020-01-01T00:00:00Z";
  test.each([
    [{}, "#/type required"],
    [{ type: "Work" }, "#/type unknown_type"],
    [{ type: "svc.mine" }, "#/type unknown_type"],
    [{ type: "noop", signal: { a: 1 } }, "#/signal/a unknown_member"],
    [{ type: "http-call", signal: {} }, "#/signal/url required"],
    [{ type: "http-call", signal: { url: "ftp://x" } }, "#/signal/url invalid_format"],
    [{ type: "http-call", signal: { url: "http://127.0.0.1/" } }, "#/signal/url blocked_address"],
    [
      { type: "http-call", signal: { url: "https://a.example", headers: { Host: "b.example" } } },
      "#/signal/headers/Host reserved_header",
    ],
    [
      {
        type: "work",
        callback: { http_call: { url: "https://a.example", headers: { "Webhook-Id": "1" } } },
      },
      "#/callback/http_call/headers/Webhook-Id reserved_header",
    ],
    [
      {
        type: "work",
        callback: {
          signal: {
            queue_id: "que_00000000000000000000000000",
            type: "http-call",
            signal: { url: "https://a.example", headers: { "content-length": "1" } },
          },
        },
      },
      "#/callback/signal/signal/headers/content-length reserved_header",
    ],
    [{ type: "work", signal: [] }, "#/signal invalid_type"],
    [{ type: "work", dedupe_key: "" }, "#/dedupe_key too_small"],
    [{ type: "work", expires_at: past }, "#/expires_at expires_at_past"],
    [{ type: "work", expires_at: "soon" }, "#/expires_at invalid_format"],
    [{ type: "work", expires_in: 0 }, "#/expires_in invalid_duration"],
    [
      { type: "work", expires_in: "1h", expires_at: "2999-01-01T00:00:00Z" },
      "#/expires_in expires_twice",
    ],
    [{ type: "work", max_executions: 0 }, "#/max_executions too_small"],
    [{ type: "work", max_executions: 101 }, "#/max_executions too_big"],
    [{ type: "work", retry_delay: "2h" }, "#/retry_delay invalid_duration"],
    [{ type: "work", context: { a: 1 } }, "#/context/a invalid_type"],
    [
      { type: "work", awaited_by: "sig_00000000000000000000000000" },
      "#/awaited_by awaiter_not_live",
    ],
    [{ type: "work", callbacks: [{}] }, "#/callbacks/0 callback_kind"],
    [
      { type: "work", callback: { on: [], http_call: { url: "https://a.example" } } },
      "#/callback/on too_small",
    ],
    [
      { type: "work", callback: { http_call: { url: "http://10.0.0.1/" } } },
      "#/callback/http_call/url blocked_address",
    ],
    [
      {
        type: "work",
        callbacks: [{ signal: { queue_id: "que_00000000000000000000000000", type: "x" } }],
      },
      "#/callbacks/0/signal/queue_id queue_not_found",
    ],
    [
      {
        type: "work",
        callbacks: [
          { signal: { queue_id: "que_00000000000000000000000000", type: "flush", signal: {} } },
        ],
      },
      "#/callbacks/0/signal/signal",
    ],
    [
      {
        type: "work",
        callback: {
          signal: { queue_id: "que_00000000000000000000000000", type: "x", callbacks: [] },
        },
      },
      "#/callback/signal/callbacks unknown_member",
    ],
    [{ type: "work", id: "sig_1" }, "#/id unknown_member"],
  ])("of %j names the place", async (body, expected) => {
    const [status, code, first] = await refusal(await mine(), body);
    expect([status, code]).toEqual([422, "invalid"]);
    expect(String(first).startsWith(expected)).toBe(true);
  });

  test("of data that is too large names it", async () => {
    const queue = await mine();
    const signal = { text: "x".repeat(256 * 1024) };
    expect(await refusal(queue, { type: "work", signal })).toEqual([
      422,
      "invalid",
      "#/signal too_large",
    ]);
    const fits = { text: "x".repeat(256 * 1024 - 20) };
    expect((await enqueue(queue, { type: "work", signal: fits })).status).toBe(201);
    const callback = { signal: { queue_id: queue.queueId, type: "work", signal } };
    expect(await refusal(queue, { type: "work", callback })).toEqual([
      422,
      "invalid",
      "#/callback/signal/signal too_large",
    ]);
  });

  test("of what the caller could not do itself names the permission", async () => {
    const queue = await mine();
    const token = await givenToken(db, { orgId, role: "org_support" }); // no queues.write
    const call = { type: "http-call", signal: { url: "https://example.com" } };
    expect(await refusal(queue, call, { token })).toEqual([403, "permission_missing"]);
    const callback = { http_call: { url: "https://example.com" } };
    expect(await refusal(queue, { type: "work", callback }, { token })).toEqual([
      403,
      "permission_missing",
    ]);
    const builder = await givenToken(db, { orgId, role: "org_builder" }); // no runners.operate
    const signal = { runner_id: "run_00000000000000000000000000", type: "shut-down" };
    expect(await refusal(queue, { type: "runner-job", signal }, { token: builder })).toEqual([
      403,
      "permission_missing",
    ]);
    expect((await enqueue(queue, { type: "work" }, { token: builder })).status).toBe(201);
  });

  test("of a signal that waits for its own queue is made when it is filed", async () => {
    const queue = await mine();
    const outer = await enqueue(queue, { type: "work" });
    expect(await refusal(queue, { type: "work", awaited_by: outer.body.id })).toEqual([
      422,
      "invalid",
      "#/awaited_by waits_for_own_queue",
    ]);
  });

  test("of one that more than a hundred would wait for is made when it is filed", async () => {
    const wait = async (awaited_by?: string) =>
      await enqueue(await mine(), {
        type: "work",
        ...(awaited_by !== undefined && { awaited_by }),
      });
    let last = (await wait()).body.id;
    for (let at = 0; at < 100; at++) last = (await wait(last)).body.id;
    expect(await refusal(await mine(), { type: "work", awaited_by: last })).toEqual([
      422,
      "invalid",
      "#/awaited_by too_many_waiters",
    ]);
  });

  test("of a full queue says when to try again, and nothing is lost", async () => {
    const queue = await mine({ maxDepth: 2 });
    for (let at = 0; at < 2; at++) await enqueue(queue, { type: "work" });
    const full = await enqueue(queue, { type: "work" });
    expect(full).toMatchObject({ status: 429, body: { code: "queue_full" } });
    expect(full.headers.get("retry-after")).toBe("5");
    expect(await claimSignals(db, queue, 5)).toHaveLength(1);
    expect((await enqueue(queue, { type: "work" })).status).toBe(201);
    await expectSoundSignals(db);
  });
});
