import { describe, expect, test } from "vitest";
import { deleteOldRows } from "../../../broker/retention/delete-old-rows.ts";
import {
  givenTelemetry,
  spanId,
  spanOf,
  startedNs,
  textOf,
  traceId,
  traceRequestOf,
} from "../../support/broker/given-telemetry.ts";
import { advanceClock } from "../../support/database/clock.ts";
import {
  bytesField,
  eightField,
  textAttribute,
  varintField,
} from "../../support/logs/protobuf-writer.ts";

const {
  db,
  setup,
  broker: { call },
} = await givenTelemetry();

describe("traces", () => {
  test("that name a job are kept for it, each once, in order", async () => {
    const { token, jobId, path, traces } = await setup();
    const body = traceRequestOf(jobId, [
      spanOf(2, { parentSpanId: spanId(1), status: { code: 2, message: "it broke" } }),
      spanOf(1, { attributes: [{ key: "n", value: { intValue: "7" } }] }),
    ]);
    for (let time = 0; time < 2; time++) {
      expect(await call(`POST ${path}/traces`, { token, body })).toMatchObject({
        status: 200,
        body: {},
      });
    }
    const { items, dropped } = await traces();
    expect(dropped).toBe(0);
    expect(items.map(({ name }) => name)).toEqual(["step 1", "step 2"]);
    expect(items[0]).toMatchObject({
      attributes: { n: 7 },
      duration_ns: 5_000_000,
      service: "agent",
    });
    expect(items[1]).toMatchObject({
      parent_span_id: spanId(1),
      status: { code: 2, message: "it broke" },
    });
  });

  test("come as protobuf, too, gzip or not, and are answered in it", async () => {
    const { jobId, traces, sendBytes } = await setup();
    const bytes = bytesField(
      1,
      bytesField(1, textAttribute(1, "runner_job.id", jobId)),
      bytesField(
        2,
        bytesField(1, bytesField(1, "jobs")),
        bytesField(
          2,
          bytesField(1, Buffer.from(traceId, "hex")),
          bytesField(2, Buffer.from(spanId(9), "hex")),
          bytesField(5, "größer ✓"),
          varintField(6, 3),
          eightField(7, startedNs),
          eightField(8, startedNs + 42n),
          textAttribute(9, "step", "apply"),
          bytesField(15, bytesField(2, "no"), varintField(3, 2)),
          varintField(99, 1), // a field of a later version
        ),
      ),
    );
    for (const gzip of [false, true]) {
      const { response, body } = await sendBytes("traces", bytes, gzip);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/x-protobuf");
      expect(body).toHaveLength(0);
    }
    expect((await traces()).items).toEqual([
      expect.objectContaining({
        trace_id: traceId,
        name: "größer ✓",
        kind: 3,
        duration_ns: 42,
        scope: "jobs",
        status: { code: 2, message: "no" },
        attributes: { step: "apply" },
      }),
    ]);
    const cut = await sendBytes("traces", bytes.subarray(0, -3));
    expect(cut.response.status).toBe(400);
    expect(JSON.parse(cut.body.toString())).toMatchObject({ code: "malformed_protobuf" });
  });

  test("of nobody's job, or of another runner's, are taken and not kept", async () => {
    const [ours, theirs] = [await setup(), await setup()];
    const body = traceRequestOf(theirs.jobId, [spanOf(1)]);
    const answer = await call(`POST ${ours.path}/traces`, { token: ours.token, body });
    expect(answer.status).toBe(200);
    expect((await theirs.traces()).items).toEqual([]);
    const none = { resourceSpans: [{ scopeSpans: [{ spans: [spanOf(1)] }] }] };
    expect((await call(`POST ${ours.path}/traces`, { token: ours.token, body: none })).status).toBe(
      200,
    );
  });

  test("past what is kept of a job are told as a partial success", async () => {
    const { token, jobId, path, traces } = await setup();
    const many = Array.from({ length: 2003 }, (_, n) => spanOf(n + 1));
    const answer = await call(`POST ${path}/traces`, { token, body: traceRequestOf(jobId, many) });
    expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: "3" } } });
    const again = await call(`POST ${path}/traces`, {
      token,
      body: traceRequestOf(jobId, [spanOf(1), { ...spanOf(1), spanId: "0000000000000000" }]),
    });
    expect(again.body).toMatchObject({ partialSuccess: { rejectedSpans: "1" } });
    const kept = await traces();
    expect(kept.items).toHaveLength(2000);
    expect(kept.dropped).toBe(3);
  });

  test("hold any text, and no more than fits", async () => {
    const { token, jobId, path, traces } = await setup();
    const attributes = [
      textOf("nul", "a\0b"),
      textOf("long", "x".repeat(10_000)),
      textOf("__proto__", "p"),
    ];
    await call(`POST ${path}/traces`, {
      token,
      body: traceRequestOf(jobId, [spanOf(1, { attributes })]),
    });
    const [kept] = (await traces()).items;
    expect(kept?.attributes["nul"]).toBe("a\uFFFDb");
    expect(kept?.attributes["long"]).toHaveLength(4096);
  });

  test("of another shape are refused with the place", async () => {
    const { token, path } = await setup();
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 1, spanId: "x" }] }] }] };
    expect(await call(`POST ${path}/traces`, { token, body })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/resourceSpans/0/scopeSpans/0/spans/0/traceId" }] },
    });
  });

  test("whose gzip swells past the limit are refused unread", async () => {
    const { sendBytes } = await setup();
    const bytes = Buffer.alloc(64 * 1024 * 1024);
    const { response } = await sendBytes("traces", bytes, true);
    expect(response.status).toBe(413);
  });

  test("are gone after their time", async () => {
    const { token, jobId, path, traces } = await setup();
    await call(`POST ${path}/traces`, { token, body: traceRequestOf(jobId, [spanOf(1)]) });
    const batches = { signal: new AbortController().signal, batch: 100 };
    await deleteOldRows(db, "runner_job_spans", 14, batches);
    expect((await traces()).items).toHaveLength(1);
    await advanceClock(db, "15 days");
    await deleteOldRows(db, "runner_job_spans", 14, batches);
    expect((await traces()).items).toEqual([]);
  });
});
