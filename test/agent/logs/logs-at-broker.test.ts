import { beforeAll, describe, expect, test } from "vitest";
import { makeRedactor } from "../../../agent/logs/redactor.ts";
import { givenChildren } from "../../support/agent/given-child.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { openTestLogs } from "../../support/logs/log-receiver.ts";
import { type Fault, faultProxy } from "../../support/network/fault-proxy.ts";
import { testFolder } from "../../support/run/folder.ts";

let database: TestDatabase;
let broker: TestBroker;

beforeAll(async () => {
  database = await testDatabase();
  broker = await startBroker({ url: database.url });
});

async function setup() {
  const stream = await givenLog(database, broker);
  const proxy = await faultProxy(broker.url);
  const dir = await testFolder(0o700);
  const logs = await openTestLogs({ url: proxy.url, dir, token: stream.token });
  const { executionId, streamId } = stream;
  const jobLog = await logs.openJobLog(
    { executionId, streamId, attributes: { "runner_job.id": stream.jobId } },
    makeRedactor(["s3cret-value"]),
  );
  return { stream, proxy, logs, jobLog };
}

const script = 'for i in $(seq 3000); do echo "line $i s3cret-value"; done; printf "the end"';

describe("a job's log at a real broker", () => {
  test.each<Fault>(["500", "429", "html", "reset", "truncated", "down"])(
    "comes out whole, each line once, although requests meet: %s",
    async (fault) => {
      const { stream, proxy, logs, jobLog } = await setup();
      const failing = proxy.fail("POST /logs", fault, 4);
      const child = await (await givenChildren()).bash(script);
      await jobLog.pipe({ step: "apply", run: "1" }, child.output);
      expect(await jobLog.close()).toEqual({ lastRecord: 3001 });
      expect(await logs.shipping.allDrained(20_000)).toBe(true);
      expect(failing.hits()).toBeGreaterThan(0);
      const [counted] = await database.db`
        select records::int, sequences from log_streams where id = ${stream.streamId}`;
      expect(counted).toEqual({
        records: 3001,
        sequences: { [stream.executionId]: { last: 3001 } },
      });
      const first = await stream.read("?limit=3");
      expect(first.body.items).toMatchObject(
        [1, 2, 3].map((seq) => ({
          body: `line ${seq} ***`,
          seq,
          step: "apply",
          runner_job_execution_id: stream.executionId,
        })),
      );
    },
  );

  test("is given up when its stream is closed", async () => {
    const { stream, logs, jobLog } = await setup();
    jobLog.write("one");
    await expect.poll(async () => (await stream.read()).body.items.length).toBe(1);
    await stream.close();
    jobLog.write("two");
    await jobLog.close();
    expect(await logs.shipping.allDrained(20_000)).toBe(true);
    expect(logs.lines.join("")).toContain("a log is not sent any further");
  });
});
