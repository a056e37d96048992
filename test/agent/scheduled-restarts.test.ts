import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

type Shown = {
  readonly id: string;
  readonly started_at: string;
  readonly next_scheduled_restart_at: string | null;
  readonly previous_scheduled_restart_at: string | null;
};

test("a scheduled restart waits for a running job, beyond any drain timeout, and both times are shown", async () => {
  const runner = await fleet.addRunner({ parallelism: { actions: 1 } });
  const path = `/v1/runners/${runner.runnerId}`;
  const token = runner.operatorToken;
  const live = async (): Promise<Shown | undefined> => {
    const what = `GET ${path}/processes`;
    const { body } = await fleet.broker.call<{ items: Shown[] }>(what, { token });
    return body.items[0];
  };
  const given = {
    url: fleet.broker.url,
    env: { SVC_AGENT_TOKEN: runner.token },
    dataDir: await testDataDir(),
    settings: { "drain-timeout": "0s", "cancel-timeout": "1s" },
  };
  const agent = await startAgentProcess(given);
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await until(async () => (await runner.job(jobId)).status === "in-progress");

  await runner.operate(`PATCH ${path}/settings`, { container_max_uptime: 3600 });
  await until(async () => (await live())?.next_scheduled_restart_at !== null);
  const shown = await live();
  const afterS =
    (Date.parse(shown?.next_scheduled_restart_at ?? "") - Date.parse(shown?.started_at ?? "")) /
    1_000;
  expect(afterS).toBeGreaterThan(3_200);
  expect(afterS).toBeLessThanOrEqual(3_610);
  expect(shown?.previous_scheduled_restart_at).toBeNull();

  await runner.operate(`PATCH ${path}/settings`, { container_max_uptime: 1 });
  await until(() => agent.said.log.some(({ msg }) => msg === "the process finishes what runs"));
  expect((await runner.job(jobId)).status).toBe("in-progress");
  await held.release();
  expect(await agent.ended).toBe(75);
  expect((await runner.became(jobId, "finished")).executions).toHaveLength(1);

  await runner.operate(`PATCH ${path}/settings`, { container_max_uptime: 0 });
  await startAgentProcess(given);
  await until(async () => {
    const now = await live();
    return now?.id !== shown?.id && now?.previous_scheduled_restart_at !== null;
  });
  expect((await live())?.next_scheduled_restart_at).toBeNull();
});
