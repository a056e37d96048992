import { describe, expect, test } from "vitest";
import { deleteOldRows } from "../../../broker/retention/delete-old-rows.ts";
import { givenTelemetry, startedNs, textOf } from "../../support/broker/given-telemetry.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { bytesField, eightField, varintField } from "../../support/logs/protobuf-writer.ts";

const { signal } = new AbortController();
const {
  db,
  setup,
  broker: { call },
} = await givenTelemetry();

describe("metrics", () => {
  const gauge = (name: string, at: bigint, asDouble: number, attributes: object[] = []) => ({
    name,
    unit: "By",
    gauge: { dataPoints: [{ timeUnixNano: String(at), asDouble, attributes }] },
  });
  const metricsRequest = (metrics: object[], attributes: object[] = []) => ({
    resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }],
  });

  test("are kept as the latest point of each series, for the runner or the job they name", async () => {
    const { token, jobId, path, metrics } = await setup();
    const send = async (body: object) => await call(`POST ${path}/metrics`, { token, body });
    const ofJob = [textOf("runner_job.id", jobId)];
    expect(await send(metricsRequest([gauge("rss", startedNs + 1000n, 2)]))).toMatchObject({
      status: 201,
      body: {},
    });
    await send(metricsRequest([gauge("rss", startedNs, 1)])); // late
    await send(metricsRequest([gauge("rss", startedNs, 3, [textOf("pool", "a")])]));
    await send(metricsRequest([gauge("rss", startedNs, 9)], ofJob));
    const own = await metrics(path);
    expect(own.items.map(({ value }) => value["value"])).toEqual(expect.arrayContaining([2, 3]));
    expect((await metrics(`/v1/runner-jobs/${jobId}`)).items).toEqual([
      expect.objectContaining({ name: "rss", kind: "gauge", unit: "By", value: { value: 9 } }),
    ]);
  });

  test("come as protobuf, too: sums and histograms", async () => {
    const { path, metrics, sendBytes } = await setup();
    const counts = Buffer.alloc(16);
    counts.writeBigUInt64LE(1n);
    counts.writeBigUInt64LE(2n, 8);
    const bounds = Buffer.alloc(8);
    bounds.writeDoubleLE(0.5);
    const sum = bytesField(
      2,
      bytesField(1, "jobs"),
      bytesField(7, bytesField(1, eightField(3, startedNs), eightField(6, 12n)), varintField(3, 1)),
    );
    const histogram = bytesField(
      2,
      bytesField(1, "took"),
      bytesField(
        9,
        bytesField(
          1,
          eightField(3, startedNs),
          eightField(4, 3n),
          eightField(5, { double: 1.5 }),
          bytesField(6, counts),
          bytesField(7, bounds),
        ),
      ),
    );
    const bytes = bytesField(1, bytesField(2, sum, histogram));
    expect((await sendBytes("metrics", bytes)).response.status).toBe(201);
    expect((await metrics(path)).items).toEqual([
      expect.objectContaining({
        name: "jobs",
        kind: "sum",
        value: { value: 12, is_monotonic: true, temporality: "cumulative" },
      }),
      expect.objectContaining({
        name: "took",
        kind: "histogram",
        value: { count: 3, sum: 1.5, buckets: [1, 2], bounds: [0.5] },
      }),
    ]);
  });

  test("past the series that are kept are told as a partial success; known ones go on", async () => {
    const { token, path, metrics } = await setup();
    const many = Array.from({ length: 502 }, (_, n) => gauge(`m${n}`, startedNs, n));
    const send = async (of: object[]) =>
      await call(`POST ${path}/metrics`, { token, body: metricsRequest(of) });
    expect(await send(many)).toMatchObject({
      status: 201,
      body: { partialSuccess: { rejectedDataPoints: "2" } },
    });
    const [first] = (await metrics(path)).items;
    const moved = await send([gauge(first?.name ?? "", startedNs + 1000n, -1)]);
    expect(moved.body).toEqual({});
    expect((await metrics(path)).items[0]?.value).toEqual({ value: -1 });
  });

  test("that were deleted make room for others", async () => {
    const { token, path, metrics } = await setup();
    const send = async (prefix: string, count: number) => {
      const names = Array.from({ length: count }, (_, n) => `${prefix}${n}`);
      const body = metricsRequest(names.map((name) => gauge(name, startedNs, 1)));
      return (await call(`POST ${path}/metrics`, { token, body })).body;
    };
    expect(await send("old", 500)).toEqual({});
    await advanceClock(db, "10 days");
    expect(await send("old", 1)).toEqual({});
    await deleteOldRows(db, "runner_metric_points", 7, { signal, batch: 1000 });
    expect(await send("new", 499)).toEqual({});
    expect(await send("more", 1)).toMatchObject({ partialSuccess: { rejectedDataPoints: "1" } });
    expect((await metrics(path)).items).toHaveLength(500);
  });
});
