import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { type Fault, faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function begun(runner: TestRunner, jobId: string): Promise<void> {
  await until(async () => (await runner.job(jobId)).executions[0]?.status === "in-progress");
}

test("a script outlives kill -9 of its agent, and the next agent brings it to its one end", async () => {
  const runner = await fleet.addRunner();
  const given = {
    url: fleet.broker.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    dataDir: await testDataDir(),
  };
  const first = await startAgentProcess(given);
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await begun(runner, jobId);
  first.kill("SIGKILL");
  expect(await first.ended).toBe("SIGKILL");
  await held.release(); // it ends while nobody looks after it
  await startAgentProcess(given);
  const { executions, outputs } = await runner.became(jobId, "finished");
  expect(executions).toHaveLength(1);
  expect(JSON.stringify(outputs)).toContain("released");
});

/** The agent is killed when one of these requests of its job is under way, and the broker never answers it. */
const steps: readonly (readonly [what: string, request: string, fault: Fault])[] = [
  ["it reports its start", "PATCH /executions/", "hang"],
  ["the broker took its start", "PATCH /executions/", "reset"],
  ["it sends the result", "POST /finish", "hang"],
  ["the broker took the result", "POST /finish", "reset"],
];

test.each(steps)("killed when %s, its job still has one end", async (_, request, fault) => {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const given = {
    url: proxy.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    dataDir: await testDataDir(),
    settings: { "request-timeout": "20s", "claim-wait": "25s" },
  };
  const first = await startAgentProcess(given);
  await until(() => proxy.seen("POST /heart-beats").length > 0);
  const failing = proxy.fail(request, fault);
  const jobId = await runner.enqueue();
  await until(() => failing.hits() > 0);
  if (fault === "reset") await until(() => proxy.seen(request).some(({ end }) => end === "reset"));
  first.kill("SIGKILL");
  await first.ended;
  proxy.mend();
  await startAgentProcess(given);
  const { executions } = await runner.became(jobId, "finished");
  expect(executions).toHaveLength(1);
});

test("a job whose claim was lost with its agent goes back, and is done by the next agent", async () => {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const given = {
    url: proxy.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    dataDir: await testDataDir(),
  };
  const first = await startAgentProcess(given);
  const lost = proxy.fail("POST /jobs/claim", "reset");
  await until(() => lost.hits() > 0);
  const jobId = await runner.enqueue();
  await until(async () => (await runner.job(jobId)).executions.length === 1);
  first.kill("SIGKILL");
  await first.ended;
  proxy.mend();
  await startAgentProcess(given);
  await advanceClock(fleet.db, "31 seconds"); // nobody has confirmed it for so long
  const { executions } = await runner.became(jobId, "finished");
  expect(executions.map(({ status }) => status)).toEqual(["not-attempted", "finished"]);
});
