import { describe, expect, test } from "vitest";
import type { Problem } from "../../../shared/problem.ts";
import { requestFingerprint } from "../../signals/signal-data.ts";
import { readLargeBody, type ToldBody } from "./read-large-body.ts";
import { fromPieces } from "./value-pieces.ts";

const mebibyte = 1025 * 1024;
/** An object of so many bytes that is full of values. */
const full = (bytes: number): string => `{"all":[${"{},".repeat((bytes - 16) / 3)}{}]}`;

/** What comes back of a body: told, how many bytes that is, and the value that is made of it. */
async function setup(operationId: string, body: string, keyedIn?: string) {
  const asked = { operationId, ...(keyedIn !== undefined && { keyedIn }) };
  const { told, bytes } = readLargeBody({ asked, bytes: [Buffer.from(body)] });
  const value = await fromPieces(told.value, Buffer.from(bytes[1] ?? []));
  return { told, headBytes: JSON.stringify(told).length, valueBytes: bytes[1]?.length, value };
}

const textSize = ({ longTexts }: ToldBody, pointer: string): number =>
  new Map(longTexts).get(pointer)?.reduce((sum, [start, end]) => sum + end - start, 0) ?? 0;

describe("of a large body of signals", () => {
  test("too much data of one is refused by name before anything comes back", async () => {
    const call = `{"url":"https://example.com","body":${full(300_000)}}`;
    const body = `{"signals":[{"type":"work"},{"type":"work","signal":${full(15 * mebibyte)},
      "callbacks":[{"http_call":{"url":"https://example.com"}},{"http_call":${call}}]}]}`;
    await expect(setup("enqueueSignals", body)).rejects.toMatchObject({
      status: 422,
      errors: [
        { pointer: "#/signals/1/signal", code: "too_large" },
        { pointer: "#/signals/1/callbacks/1/http_call", code: "too_large" },
      ],
    });
    const long = `{"type":"work","signal":{"a":"${"x".repeat(15 * mebibyte)}"}}`;
    await expect(setup("enqueueSignal", long)).rejects.toMatchObject({
      errors: [{ pointer: "#/signal", code: "too_large" }],
    });
  });

  test("what its signals may have goes back as text alone", async () => {
    const data = full(250_000);
    const plan = `{"terraform":{"workspace_id":1},"id":"run_1","pad":${full(100_000)}}`;
    const id = "run_00000000000000000000000001";
    const job = `{"type":"noop-deploy","runner_id":"${id}","plan":${plan},"metadata":{"a":"b"}}`;
    const call = `{"url":"https://example.com","headers":{"a":"b"},"body":${data}}`;
    const signal = `{"type":"work","signal":${data},"context":{"by":"me"},
      "callback":{"http_call":${call}},"callbacks":[{"runner_job":${job}}]}`;
    const body = `{"signals":[${Array.from({ length: 25 }, () => signal).join(",")}]}`;
    const { told, headBytes, valueBytes, value } = await setup("enqueueSignals", body, "que_1");
    expect(body.length).toBeGreaterThan(14 * mebibyte);
    expect(headBytes).toBeLessThan(8 * 1024);
    expect(valueBytes).toBeLessThan(25 * 1024);
    expect(textSize(told, "#/signals/23/signal")).toBe(data.length);
    expect(textSize(told, "#/signals/23/callback/http_call")).toBe(call.length);
    expect(textSize(told, "#/signals/23/callbacks/0/runner_job")).toBe(job.length);
    expect((value as { signals: object[] }).signals[23]).toMatchObject({
      type: "work",
      signal: {},
      context: { by: "me" },
      callback: { http_call: { url: "https://example.com" } },
      callbacks: [{ runner_job: { type: "noop-deploy", runner_id: id, plan: { id: "run_1" } } }],
    });
  });

  test("what is left out is judged all the same", async () => {
    const wrong = `{"url":"https://example.com","headers":{"a":"${"x".repeat(20_000)}"}}`;
    const body = `{"type":"http-call","signal":${wrong},"context":{"pad":"${"p".repeat(300)}"}}`;
    await expect(setup("enqueueSignal", body)).rejects.toMatchObject({
      status: 422,
      errors: [{ pointer: "#/signal/headers/a" }],
    });
  });

  test("what tells it from others is what tells a small one", async () => {
    const signal = { a: "x".repeat(20_000), b: [1, 2] };
    const body = JSON.stringify({ type: "work", signal });
    const { told } = await setup("enqueueSignal", body, "que_1");
    const whole = { type: "work", signal, max_executions: 3, retry_delay: 1e10 };
    expect(told.fingerprint).toBe(requestFingerprint("que_1", [whole]));
    expect((await setup("enqueueSignal", body)).told.fingerprint).toBeUndefined();
  });
});

test("of a large plan its names go back, and no text that is none", async () => {
  const long = "y".repeat(2 * mebibyte);
  const plan = { id: long, helm_chart_id: "hlc_1", app_config_id: "no id", timeout: 5 };
  const body = JSON.stringify({ type: "noop-deploy", plan });
  const { value, headBytes } = await setup("enqueueJob", body);
  expect(value).toEqual({ type: "noop-deploy", plan: { helm_chart_id: "hlc_1", timeout: 5 } });
  expect(headBytes).toBeLessThan(1024);
});

test("a name as long as the body is refused in few words", async () => {
  const name = "k".repeat(15 * mebibyte);
  const error = await setup("enqueueJob", `{"type":"noop-deploy","${name}":1}`).catch(
    (refused: unknown) => refused as Problem,
  );
  expect(error).toMatchObject({ status: 422, errors: [{ code: "unknown_member" }] });
  const { message, errors } = error as Problem;
  expect(message.length + JSON.stringify(errors).length).toBeLessThan(4 * 1024);
});

test("of reports at every bound nothing goes back that is parsed in one go", async () => {
  const names = Array.from({ length: 4_000 }, (_, n) => [`n${n}`, "v"]);
  const error_metadata = Object.fromEntries(names) as Record<string, string>;
  const reports = Array.from({ length: 100 }, (_, n) => ({
    execution: `exe_${n}`,
    result: { success: false, error_metadata },
  }));
  const { told, headBytes, value } = await setup("reportExecutions", JSON.stringify({ reports }));
  expect(value).toEqual({ reports });
  expect(told.value.ends).toHaveLength(100);
  expect(headBytes).toBeLessThan(2 * 1024);
});
