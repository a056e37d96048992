import { expect, test } from "vitest";
import { makeRedactor } from "../../../agent/logs/redactor.ts";
import { outputOf } from "../../support/agent/child-output.ts";
import { givenAgentLogs, source } from "../../support/agent/given-agent-logs.ts";
import { until } from "../../support/broker/given-polling.ts";

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
      for (let nth = 0; nth < 12; nth += 1) {
        await until(() => bodies("a").length === nth * 100); // so that there is never much to write
        await until(() => nth * piece.length - released < 4 * piece.length);
        yield { bytes: piece, offset: nth * piece.length, atMs: Date.now() };
      }
    },
    release: (offset: number) => void (released = offset),
  };
  await jobLog.pipe(source, output);
  await jobLog.close();
  expect(await logs.shipping.allDrained(10_000)).toBe(true);
  expect(bodies("a")).toHaveLength(1_200);
});
