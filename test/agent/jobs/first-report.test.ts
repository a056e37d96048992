import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** An agent behind a proxy, and an action that leaves a mark. */
async function setup() {
  const runner = await fleet.addRunner({ parallelism: { actions: 1, operations: 1 } });
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startTestAgent({ url: proxy.url, token: runner.token });
  const mark = path.join(await testFolder(0o777), "mark");
  const plan = JSON.stringify({ steps: [{ interpolated_command: `touch ${mark}; sleep 0.1` }] });
  return {
    ...jobReader(fleet, runner),
    seen: runner.job,
    proxy,
    agent,
    mark,
    job: { type: "actions-workflow", plan } as const,
  };
}

const isFirstReport = ({ method, path: at }: { method: string; path: string }): boolean =>
  method === "PATCH" && at.includes("/executions/");

describe("before the broker has answered the first report", () => {
  test.each(["down", "500", "429", "html", "reset", "truncated"] as const)(
    "nothing is begun while it goes wrong (%s), and all is once it is answered",
    async (fault) => {
      const { proxy, mark, enqueue, ended, job } = await setup();
      const failing = proxy.fail(isFirstReport, fault);
      const id = await enqueue(job);
      await until(() => failing.hits() >= 3);
      expect(existsSync(mark)).toBe(false);
      failing.mend();
      expect(await ended(id)).toMatchObject({ status: "finished" });
      expect(existsSync(mark)).toBe(true);
    },
  );

  test.each(["404", "409", "410"] as const)(
    "a refusal (%s) means that the job is not ours: nothing is begun, and the next job runs",
    async (fault) => {
      const { proxy, mark, enqueue, run, job, agent } = await setup();
      const failing = proxy.fail(isFirstReport, fault, 1);
      await enqueue(job);
      await until(() => failing.hits() === 1);
      await until(() => agent.status().jobs.length === 0);
      expect(existsSync(mark)).toBe(false);
      expect(await run({ type: "noop" })).toMatchObject({ status: "finished" });
    },
  );

  test.each([1, 2])("an agent that is told to go %i times gives the job back", async (times) => {
    const { proxy, mark, enqueue, agent, job, seen } = await setup();
    const failing = proxy.fail(isFirstReport, "500");
    const id = await enqueue(job);
    await until(() => failing.hits() >= 1);
    for (let nth = 0; nth < times; nth++) agent.signal("SIGTERM");
    await agent.gone;
    expect(existsSync(mark)).toBe(false);
    expect(proxy.seen("POST /give-back").map(({ end }) => end)).toEqual([200]);
    expect(await seen(id)).toMatchObject({ execution_count: 0 });
    expect((await seen(id)).status).toMatch(/^(?:queued|available)$/);
  });
});
