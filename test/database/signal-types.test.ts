import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type SignalType,
  signalType,
  signalTypeNames,
  signalTypes,
} from "../../shared/signal-types.ts";
import { testDatabase } from "../support/database/database.ts";
import { between } from "../support/moves/draw-moves.ts";
import { givenQueue, givenSignal, signalStatus } from "../support/queues/given-signals.ts";
import { readRootFile } from "../support/run/source-files.ts";

const { db } = await testDatabase();
const runnerId = `run_${"0".repeat(26)}`;
const queueId = `que_${"0".repeat(26)}`;

function faults(type: string, signal: unknown): string[] {
  const read = signalType(type)?.schema.safeParse(signal);
  return read?.error?.issues.map(({ path }) => path.join(".")) ?? [];
}

describe("the table of signal types", () => {
  test("is the one in the docs", async () => {
    const rows = Object.entries(signalTypes).map(
      ([name, { summary }]) => `| \`${name}\` | ${summary} |`,
    );
    const table = ["| type | what its turn does |", "|---|---|", ...rows].join("\n");
    expect(between(await readRootFile("docs/queues.md"), "signal-types")).toBe(table);
  });

  test("leaves every other name to workers, with any object", () => {
    expect(signalType("deploy/app_1.v2")).toMatchObject({ runs: "pull" });
    expect(signalType("deploy/app_1.v2")).not.toHaveProperty("task");
    expect(faults("deploy", { any: ["thing"] })).toEqual([]);
    expect(faults("deploy", "text")).toEqual([""]);
  });

  test.each(["", "Deploy", "1st", "svc.deploy", "a b", "a".repeat(101), "__proto__"])(
    "refuses %j as a name",
    (name) => expect(signalType(name)).toBeUndefined(),
  );

  test("can be told to callers, by name", () => {
    for (const name of Object.keys(signalTypes)) expect(signalTypeNames).toContain(name);
  });

  test("does not take what every object has for a type of its own", () => {
    expect(signalType("constructor")).toMatchObject({ runs: "pull" });
  });

  test.each([
    ["noop", {}, []],
    ["noop", { a: 1 }, [""]],
    ["runner-job", { runner_id: runnerId, type: "noop" }, []],
    ["runner-job", { runner_id: "run_1", type: "noop" }, ["runner_id"]],
    ["runner-job", { runner_id: runnerId, type: "noop", wait_for: "never" }, ["wait_for"]],
    ["http-call", { url: "https://example.com/a" }, []],
    ["http-call", { url: "ftp://example.com/a" }, ["url"]],
    ["http-call", { url: "https://example.com", headers: { "a b": "c" } }, ["headers.a b"]],
    ["http-call", { url: "https://example.com", headers: { a: "b\r\nc" } }, ["headers.a"]],
    ["http-call", { url: "https://example.com", method: "GET", body: "x" }, ["body"]],
    ["http-call", { url: "https://example.com", timeout: "3m" }, ["timeout"]],
    ["emitter-start", { emitter_id: "emt" }, ["emitter_id"]],
    ["flush", { queue_id: queueId }, []],
    ["flush", { runner_id: runnerId, group: "deploy" }, []],
    ["flush", { runner_id: runnerId, queue_id: queueId }, [""]],
  ] as const)("reads %s %j", (type, signal, wrong) => {
    expect(faults(type, signal)).toEqual(wrong);
  });

  test("says what a caller must be allowed besides, and what is called", () => {
    const call = signalType("http-call");
    expect(call?.permissions?.({ url: "https://a.example" })).toEqual(["queues.write"]);
    expect(call?.calls?.({ url: "https://a.example" })).toBe("https://a.example");
    const needs = (type: string) => signalTypes["runner-job"].permissions({ type } as never);
    expect(needs("noop")).toEqual(["jobs.write"]);
    expect(needs("shut-down")).toEqual(["jobs.write", "runners.operate"]);
    expect(signalType("flush")?.permissions?.({ queue_id: queueId })).toEqual([]);
    const purges = [{ act: "purge", on: { queue_id: queueId } }];
    expect(signalType("flush")?.actsOn?.({ queue_id: queueId })).toEqual(purges);
    expect(signalType("flush")?.permissions?.({ runner_id: runnerId })).toEqual(["jobs.cancel"]);
  });

  test("can have a row that somebody holds: its turn wakes the task that the row names", async () => {
    const held: SignalType = {
      runs: "hold",
      task: "advance-test",
      schema: z.strictObject({ step: z.int() }),
      summary: "A test's own.",
    };
    const row = signalType("test-held", { ...signalTypes, "test-held": held });
    expect(row).toBe(held);
    const queue = await givenQueue(db);
    const { runs, task } = held;
    const id = await givenSignal(db, queue, { type: "test-held", runs, task });
    expect(await signalStatus(db, id)).toBe("in-flight");
    const woken = await db`
      select j.payload ->> 'signal_id' as id from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = ${held.task ?? ""}`;
    expect(woken).toEqual([{ id }]);
  });
});
