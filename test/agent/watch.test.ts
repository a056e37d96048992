import { beforeAll, describe, expect, test, vi } from "vitest";
import { runLine } from "../../agent/commands/program.ts";
import { agentMetrics } from "../../agent/status/metrics-text.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function read(url: string | null, page: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url ?? ""}${page}`);
  return { status: answer.status, text: await answer.text() };
}

describe("an agent that can be watched", () => {
  test("tells that it lives and is ready, and all that it counts", async () => {
    const runner = await fleet.addRunner();
    const given = { url: fleet.broker.url, token: runner.token };
    const { watchUrl, processId } = await startTestAgent(given, { "watch-port": "auto" });
    await runner.became(await runner.enqueue(), "finished");
    expect(new URL(watchUrl ?? "").hostname).toBe("127.0.0.1");
    expect((await read(watchUrl, "/livez")).status).toBe(200);
    expect((await read(watchUrl, "/readyz")).status).toBe(200);
    const { text } = await read(watchUrl, "/metrics");
    const shown = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect(shown).toEqual(agentMetrics.map(({ name }) => name));
    expect(text).toMatch(/^svc_agent_jobs_claimed_total 1$/m);
    const status: unknown = JSON.parse((await read(watchUrl, "/status.json")).text);
    expect(status).toMatchObject({ process_id: processId(), is_ready: true, urgency: "staying" });
    expect(text + JSON.stringify(status)).not.toContain(runner.token);
  });

  test("is not ready while it goes down", async () => {
    const runner = await fleet.addRunner();
    const proxy = await faultProxy(fleet.broker.url);
    const agent = await startTestAgent(
      { url: proxy.url, token: runner.token },
      { "watch-port": "auto" },
    );
    proxy.fail("PATCH /processes/", "hang");
    agent.signal("SIGTERM");
    const { status, text } = await read(agent.watchUrl, "/readyz");
    expect(status).toBe(503);
    expect(text).toContain("it received SIGTERM");
  });

  test("tells in its log and its metrics how each job ended, and how long it took", async () => {
    const runner = await fleet.addRunner();
    const given = { url: fleet.broker.url, token: runner.token };
    const { watchUrl, logged } = await startTestAgent(given, { "watch-port": "auto" });
    const good = await runner.enqueue();
    await runner.became(good, "finished");
    const steps = [{ name: "only", interpolated_inline_contents: "exit 3" }];
    const plan = JSON.stringify({ steps });
    const bad = await runner.enqueue({ type: "actions-workflow", plan });
    await runner.became(bad, "failed");
    const ended = () =>
      logged
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === "ended");
    await until(() => ended().length === 2);
    const duration_ms = expect.any(Number) as number;
    expect(ended()).toMatchObject([
      { job_id: good, type: "noop", status: "finished", duration_ms },
      {
        job_id: bad,
        type: "actions-workflow",
        status: "failed",
        reason: "step_failed",
        duration_ms,
      },
    ]);
    expect(ended()[0]).not.toHaveProperty("reason");
    const { text } = await read(watchUrl, "/metrics");
    for (const row of [
      'svc_agent_jobs_ended_total{type="noop",end="finished"} 1',
      'svc_agent_jobs_ended_total{type="actions-workflow",end="failed"} 1',
      'svc_agent_job_duration_seconds_bucket{type="actions-workflow",le="+Inf"} 1',
      'svc_agent_job_duration_seconds_count{type="noop"} 1',
    ]) {
      expect(text.split("\n")).toContain(row);
    }
    expect(text).toMatch(/^svc_agent_job_duration_seconds_sum\{type="noop"\} \d/m);
  });
});

async function statusOf(dataDir: string, ...flags: string[]) {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const code = await runLine(["status", "--data-dir", dataDir, ...flags], {});
    return { code, out: written.mock.calls.map(([text]) => String(text)).join("") };
  } finally {
    written.mockRestore();
  }
}

describe("svc-agent status", () => {
  test("finds the agent by its data directory, and tells how it is in words or as JSON", async () => {
    const runner = await fleet.addRunner();
    const given = { url: fleet.broker.url, token: runner.token };
    const { dataDir } = await startTestAgent(given, { "watch-port": "auto" });
    await until(async () => (await statusOf(dataDir)).code === 0);
    const words = await statusOf(dataDir);
    expect(words.out).toMatch(/^agent {4}\S+, pid \d+, up \d+ s\nready {4}yes\nbroker {3}http/);
    expect(words.out).toContain("deploy 0/1");
    const json = await statusOf(dataDir, "--json");
    expect(JSON.parse(json.out)).toMatchObject({ is_ready: true, runner_id: runner.runnerId });
    const none = await testDataDir();
    expect(await statusOf(none)).toEqual({
      code: 2,
      out: `No agent uses the data directory ${none}.\n`,
    });
  });
});

test("svc-agent status says so when the agent does not answer", async () => {
  const runner = await fleet.addRunner();
  const env = { SVC_AGENT_TOKEN: runner.token };
  const settings = { "watch-port": "auto" };
  const agent = await startAgentProcess({ url: fleet.broker.url, env, settings });
  await until(async () => (await statusOf(agent.dataDir)).code === 0);
  agent.kill("SIGSTOP");
  const { code, out } = await statusOf(agent.dataDir);
  expect({ code, out }).toEqual({
    code: 2,
    out: `An agent runs (pid ${agent.pid}), but it does not answer: no answer within 5 s.\n`,
  });
});

test("one data directory is one agent's", async () => {
  const runner = await fleet.addRunner();
  const env = { SVC_AGENT_TOKEN: runner.token };
  const dataDir = await testDataDir();
  const first = await startAgentProcess({ url: fleet.broker.url, env, dataDir });
  await until(() => first.said.log.some(({ msg }) => msg === "agent started"));
  const second = await startAgentProcess({ url: fleet.broker.url, env, dataDir });
  expect(await second.ended).toBe(1);
  expect(second.said.err).toContain(`pid ${first.pid}`);
});
