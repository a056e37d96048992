import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeRedactor } from "../../../agent/logs/redactor.ts";
import { outputOf } from "../../support/child-output.ts";
import { givenAgentLogs, source } from "../../support/given-agent-logs.ts";
import { until } from "../../support/given-polling.ts";

test("all output is released, also what leaves next to no lines", async () => {
  const { logs, bodies } = await givenAgentLogs();
  const spec = { executionId: "exe_a", streamId: "lgs_a", attributes: {} };
  const jobLog = await logs.openJobLog(spec, makeRedactor(["0123456789abcdef"]));
  const piece = Buffer.from("0123456789abcdef".repeat(16_384));
  const output = outputOf(Array.from({ length: 20 }, () => piece));
  await jobLog.pipe(source, output);
  expect(output.releasedUpTo()).toBe(20 * piece.length);
  await jobLog.close();
  expect(await logs.shipping.allDrained(10_000)).toBe(true);
  expect(bodies("a").every((body) => /^\*+$/.test(body))).toBe(true);
});

test("what is on disk is released also to a child that prints slowly and waits for that", async () => {
  const { logs, openJobLog, bodies } = await givenAgentLogs();
  const jobLog = await openJobLog("a");
  const piece = Buffer.from(`${"x".repeat(99)}\n`.repeat(100));
  let released = 0;
  const output = {
    async *[Symbol.asyncIterator]() {
      for (let offset = 0; offset < 30 * piece.length; offset += piece.length) {
        await until(() => offset - released < 10 * piece.length);
        await sleep(80);
        yield { bytes: piece, offset, atMs: Date.now() };
      }
    },
    release: (offset: number) => void (released = offset),
  };
  await jobLog.pipe(source, output);
  await jobLog.close();
  expect(await logs.shipping.allDrained(10_000)).toBe(true);
  expect(bodies("a")).toHaveLength(3_000);
});
