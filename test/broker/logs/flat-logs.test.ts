import { describe, expect, test } from "vitest";
import type { OtelLogRecord } from "../../../shared/api/otel-log-record.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";

const database = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });

async function setup() {
  const log = await givenLog(database, broker);
  const ask = async (query: string, headers: Record<string, string> = {}) =>
    await broker.call<OtelLogRecord[]>(`GET ${log.path}/logs${query}`, {
      token: log.admin,
      headers,
    });
  const bodies = async (query: string, headers?: Record<string, string>) =>
    (await ask(query, headers)).body.map(({ body }) => body);
  return { ...log, ask, bodies };
}

const abc = ["a", "b", "c"].map((body, at) => ({ body, seq: at + 1 }));

describe("the array of a log's records", () => {
  test("is flat, and its headers say where the next part begins", async () => {
    const { write, ask, bodies, close, streamId, jobId, orgId, runnerId, executionId } =
      await setup();
    await write([{ body: "a", seq: 1, severity: 13, step: "plan" }, ...abc.slice(1)]);
    const { body, headers } = await ask("");
    expect(body[0]).toMatchObject({
      id: `${streamId}.1`,
      org_id: orgId,
      log_stream_id: streamId,
      runner_id: runnerId,
      runner_job_id: jobId,
      runner_job_execution_id: executionId,
      runner_job_execution_step: "plan",
      severity_number: 13,
      severity_text: "WARN",
      body: "a",
    });
    expect(body.map((one) => one.body)).toEqual(["a", "b", "c"]);
    const next = headers.get("x-svc-api-next") ?? "";
    expect(next).toBe("4");
    await write([{ body: "d", seq: 4 }]);
    expect(await bodies("", { "x-svc-api-offset": next })).toEqual(["d"]);
    expect(await bodies("?order=desc")).toEqual(["d", "c", "b", "a"]);
    expect(await bodies("?order=desc", { "x-svc-api-offset": "3" })).toEqual(["b", "a"]);
    for (const beginning of ["0", "", "99"])
      expect(await bodies("?order=desc", { "x-svc-api-offset": beginning })).toHaveLength(4);
    await close();
    expect((await ask("")).headers.get("x-svc-api-next")).toBeNull();
    expect((await ask("", { "x-svc-api-offset": "x" })).body).toMatchObject({
      errors: [{ pointer: "header:X-Svc-API-Offset", code: "invalid_cursor" }],
    });
  });

  test("is narrowed by what a record says of itself, exactly", async () => {
    const { write, bodies, path, token } = await setup();
    await write([{ body: "a", seq: 1, severity: 17 }]);
    const record = {
      body: { stringValue: "b" },
      severityNumber: 9,
      severityText: "Notice",
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      attributes: [
        { key: "tf.workspace_id", value: { stringValue: "tfw_1" } },
        { key: "tool", value: { stringValue: "terraform" } },
      ],
    };
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "svc-x" } }] };
    const sent = { scopeLogs: [{ scope: { name: "apply" }, logRecords: [record] }], resource };
    await broker.call(`POST ${path}/logs`, { token, body: { resourceLogs: [sent] } });
    expect(await bodies("?severity_text=error")).toEqual(["a"]);
    expect(await bodies("?severity_text=notice")).toEqual(["b"]);
    for (const only of [
      "severity_text=INFO",
      "trace_id=0af7651916cd43dd8448eb211c80319c",
      "span_id=b7ad6b7169203331",
      "service_name=svc-x",
      "scope_name=apply",
      "tf_workspace_id=tfw_1",
      "tool=terraform&q=B",
    ])
      expect({ only, bodies: await bodies(`?${only}`) }).toEqual({ only, bodies: ["b"] });
    expect(await bodies("?tool=helm")).toEqual([]);
    expect(await bodies("?k8s_kind=%25")).toEqual([]);
  });
});

describe("a tail that answers once", () => {
  test("gives what is there, then what comes, then nothing", async () => {
    const { write, path, admin, token, close } = await setup();
    const ask = async (query: string) =>
      await broker.call<{ logs: OtelLogRecord[]; next: string; has_more: boolean }>(
        `GET ${path}/logs/tail${query}`,
        { token: admin },
      );
    await write(abc);
    const first = await ask("?wait=25s");
    expect(first).toMatchObject({
      status: 200,
      body: { logs: [{ body: "a" }, { body: "b" }, { body: "c" }], next: "4", has_more: false },
    });
    const waiting = ask("?wait=25s&since=4");
    await broker.call(`POST ${path}/logs`, {
      token,
      body: { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "d" } }] }] }] },
    });
    expect((await waiting).body).toMatchObject({ logs: [{ body: "d" }], next: "5" });
    expect((await ask("?wait=1ms&since=5")).status).toBe(204);
    expect((await ask("?wait=25s&last=1")).body).toMatchObject({ logs: [{ body: "d" }] });
    expect((await ask("?wait=25s&last=1&since=3")).body.logs[0]).toMatchObject({ body: "c" });
    const without = await ask("?wait=1ms&since=1&q=nowhere");
    expect(without).toMatchObject({ status: 200, body: { logs: [] } });
    expect(Number(without.body.next)).toBeGreaterThan(1);
    await close();
    expect((await ask("?wait=25s&since=5")).status).toBe(204);
    const headers = { accept: "application/json" };
    const plain = await fetch(`${broker.url}${path}/logs/tail?cursor=4`, {
      headers: { ...headers, authorization: `Bearer ${admin}` },
    });
    expect(await plain.json()).toMatchObject({ logs: [{ body: "d" }] });
  });

  test("takes a time or a position as `since`, and says so of anything else", async () => {
    const { path, admin } = await setup();
    const refused = await broker.call(`GET ${path}/logs/tail?wait=1ms&since=soon`, {
      token: admin,
    });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "?since" }] } });
    const none = await broker.call(`GET ${path}/logs/tail?wait=1ms&since=2026-01-01T00:00:00Z`, {
      token: admin,
    });
    expect(none.status).toBe(204);
  });
});
