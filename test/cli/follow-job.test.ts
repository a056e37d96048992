import { expect, test } from "vitest";
import type { Caller } from "../../cli/command.ts";
import { followJob } from "../../cli/jobs/follow-job.ts";
import { callRoute } from "../../shared/api/call-route.ts";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { startBroker } from "../support/broker/broker.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenRunningLog } from "../support/logs/given-running-log.ts";
import { postLogs, protobufLogs } from "../support/logs/otlp-logs.ts";
import { type FaultProxy, faultProxy } from "../support/network/fault-proxy.ts";
import { tcpProxy } from "../support/network/tcp-proxy.ts";
import { beat, report } from "../support/rows/given.ts";

const database = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_LOG_STREAM_KIB_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });

/** A running job, how to write lines to its log and to end it, and who follows it. */
async function setup() {
  const log = await givenRunningLog(database, broker);
  const { streamId, token, executionId, jobId } = log;
  const write = async (count: number, from = 1): Promise<void> => {
    const lines = Array.from({ length: count }, (_, at) => ({
      body: `line ${from + at} ${"x".repeat(900)}`,
      seq: from + at,
      executionId,
    }));
    await postLogs({ url: broker.url, streamId, token, body: protobufLogs(lines) });
  };
  const follow = async (
    url: string,
    { lingerMs, take }: { lingerMs: number; take?: (record: LogRecord) => Promise<void> },
  ) => {
    const endpoint = { url: url.replace(/\/$/, ""), token: log.admin };
    const call: Caller = async (route, input) => await callRoute(endpoint, route, input);
    const heard: LogRecord[] = [];
    const lost: string[] = [];
    const ended = await followJob(
      {
        call,
        connection: { ...endpoint, orgId: undefined, runnerId: undefined, source: "" },
        lingerMs,
        onRecord: async (record) => {
          heard.push(record);
          await take?.(record);
        },
        onLogLost: (why) => lost.push(why),
        onWaiting: () => {},
      },
      { id: jobId, log_stream_id: streamId },
    );
    return { status: ended.body.status, heard, lost };
  };
  return { ...log, follow, write };
}

/** How often a follower whose job has ended has looked how long the log is. */
const looksOf = (proxy: FaultProxy): number =>
  proxy.seen((one) => /\/log-streams\/\w+$/.test(one.path)).length;

test("a log that is read slowly is told to its end, long after the job's", async () => {
  const { follow, write, finish } = await setup();
  await write(30);
  const proxy = await faultProxy(broker.url);
  const { heard, lost, status } = await follow(proxy.url, {
    lingerMs: 500,
    take: async ({ seq }) => {
      await broker.call("GET /v1/nothing");
      if (seq !== 1) return;
      await finish(30);
      // Meanwhile the job's end is seen, and the time for the next record passes many times over.
      await expect.poll(() => looksOf(proxy)).toBeGreaterThan(0);
      const seenMs = performance.now();
      await expect.poll(() => performance.now() - seenMs).toBeGreaterThan(2_000);
    },
  });
  expect(heard).toHaveLength(30);
  expect(lost).toEqual([]);
  expect(status).toBe("finished");
});

test("a log whose last lines come after the job's end, and after a while, is told to its end", async () => {
  const { follow, write, finish, jobId } = await setup();
  await write(3);
  const proxy = await faultProxy(broker.url);
  let late: Promise<void> | undefined;
  const { heard, lost } = await follow(proxy.url, {
    lingerMs: 20_000,
    take: async ({ seq }) => {
      if (seq !== 3) return;
      await finish(5);
      late = (async () => {
        await expect.poll(() => looksOf(proxy)).toBeGreaterThan(1);
        await write(2, 4);
      })();
    },
  });
  await late;
  expect(heard.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(lost).toEqual([]);
  expect(proxy.seen(`GET /v1/runner-jobs/${jobId}`).length).toBeLessThan(50);
});

test("what a cancelled job prints while it stops is told, however long it is silent in between", async () => {
  const { follow, write, finish, ...log } = await setup();
  await report(database.db, log, { executionId: log.executionId, status: "in-progress" });
  await write(3);
  const proxy = await faultProxy(broker.url);
  let late: Promise<void> | undefined;
  let lastTaken: number | undefined;
  const { heard, lost, status } = await follow(proxy.url, {
    lingerMs: 1,
    take: async ({ seq }) => {
      lastTaken = seq;
      if (seq !== 3) return;
      await broker.call(`POST /v1/runner-jobs/${log.jobId}/cancel`, { token: log.admin });
      late = (async () => {
        const asked = () => proxy.seen(`GET /executions/${log.executionId}`).length;
        await expect.poll(asked).toBeGreaterThan(2);
        await write(2, 4);
        // Told while it still stops: nothing but that keeps the follower, who would linger for a millisecond.
        await expect.poll(() => lastTaken).toBe(5);
        await finish(5);
        await beat(database.db, [log.processId], []); // it does not name the execution any more
      })();
    },
  });
  await late;
  expect(heard.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect({ lost, status }).toEqual({ lost: [], status: "cancelled" });
});

test("who is told no more of a log that has more hears that, and of the job's end", async () => {
  const { follow, write, finish } = await setup();
  await write(3);
  const proxy = await tcpProxy(broker.url);
  const { heard, lost, status } = await follow(proxy.url, {
    lingerMs: 300,
    take: async ({ seq }) => {
      if (seq !== 3) return;
      proxy.blackHole("/logs/tail");
      await write(2, 4);
      await finish(5);
    },
  });
  expect(heard).toHaveLength(3);
  expect(lost).toEqual(["No more of its log has come for 0.3 s."]);
  expect(status).toBe("finished");
});
