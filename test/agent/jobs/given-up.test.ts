import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a job that the broker gave up during a long cut comes to rest in order, and its end is evidence", async () => {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const folder = await testFolder(0o777);
  const mark = (name: string): string => path.join(folder, name);
  const agent = await startTestAgent({ url: proxy.url, token: runner.token });
  const script = `trap 'touch ${mark("asked")}; exit 1' TERM; touch ${mark("up")}; sleep 600 & wait`;
  const steps = [
    { name: "works", interpolated_command: script },
    { name: "tidies", always: true, interpolated_command: `touch ${mark("tidied")}` },
  ];
  const plan = JSON.stringify({ steps });
  const jobId = await runner.enqueue({ type: "actions-workflow", plan, executionTimeout: 3600e9 });
  await until(() => existsSync(mark("up")));
  await proxy.setDown(true);
  await until(async () => {
    // A beat that was under way when the way was cut may come after a jump: then it jumps once more.
    const [row] = await fleet.db<{ isHeard: boolean }[]>`
      select bool_or(last_seen_at > svc_now() - interval '6 minutes') as "isHeard"
        from runner_process_beats where process_id = ${agent.processId()}`;
    if (row?.isHeard === true) await advanceClock(fleet.db, "6 minutes");
    return (await runner.job(jobId)).status === "failed";
  });
  const lost = await runner.job(jobId);
  expect(lost.status_description).toContain("lost");
  await proxy.setDown(false);
  await until(() => agent.status().jobs.length === 0);
  expect(["asked", "tidied"].map((name) => existsSync(mark(name)))).toEqual([true, true]);
  await until(() => proxy.seen("POST /finish").some(({ end }) => end === 200));
  await until(() => agent.status().waiting.results === 0);
  const { status, status_description, executions } = await runner.job(jobId);
  expect({ status, status_description }).toEqual({
    status: lost.status,
    status_description: lost.status_description,
  });
  const asEvidence = { success: false, error_metadata: { reason: "agent_lost", step: "works" } };
  expect(executions).toMatchObject([{ status: "failed", result: asEvidence }]);
});
