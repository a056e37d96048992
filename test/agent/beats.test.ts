import { expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

const beat = "POST /heart-beats";
const everyMs = 1_000;

test("an agent that holds nothing leaves beats out, and begins again to beat each time with its first job", async () => {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner();
  await fleet.db`update runner_group_settings set heart_beat_timeout = ${everyMs * 1e6}
                  where runner_group_id = ${runner.groupId}`;
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await startTestAgent(
    { url: proxy.url, token: runner.token },
    { "claim-wait": "25s" },
  );
  /** Between one beat and the next, by the agent's own clock. */
  const pausesMs = (from: number): number[] => {
    const aliveMs = proxy.seen(beat).map(({ body }) => aliveTimeOf(body) / 1e6);
    return aliveMs
      .slice(from)
      .flatMap((at, nth) => (nth === 0 ? [] : [at - (aliveMs[from + nth - 1] ?? 0)]));
  };
  const atRest = proxy.seen(beat).length + 2; // those of its start
  await until(() => pausesMs(atRest).length >= 2);
  expect(Math.min(...pausesMs(atRest))).toBeGreaterThan(2 * everyMs);

  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await until(() => agent.status().jobs.length === 1);
  const atWork = proxy.seen(beat).length;
  await until(() => pausesMs(atWork).some((ms) => ms < 2 * everyMs));
  await held.release();
  await runner.became(jobId, "finished");
});

function aliveTimeOf(body: Buffer): number {
  return (JSON.parse(body.toString()) as { alive_time: number }).alive_time;
}
