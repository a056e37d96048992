import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readStat } from "../../../agent/processes/process-identity.ts";
import { mintToken } from "../../../shared/token.ts";
import { type AgentProcess, startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A script that outlived its agent, and what starts the next agent. */
async function setup(plan: object = {}) {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const folder = await testFolder(0o777);
  const mark = (name: string): string => path.join(folder, name);
  const first = await startAgentProcess({ url: proxy.url, env: { SVC_AGENT_TOKEN: runner.token } });
  const script = `trap 'touch ${mark("asked")}; exit 1' TERM; echo $$ >${mark("pid")}; sleep 600 & wait`;
  const steps = [{ name: "works", interpolated_command: script }];
  const jobId = await runner.enqueue({
    type: "actions-workflow",
    plan: JSON.stringify({ ...plan, steps }),
  });
  await until(() => existsSync(mark("pid")) && readFileSync(mark("pid"), "utf8") !== "");
  first.kill("SIGKILL");
  await first.ended;
  const { dataDir } = first;
  const again = async (token = runner.token): Promise<AgentProcess> =>
    await startAgentProcess({ url: proxy.url, env: { SVC_AGENT_TOKEN: token }, dataDir });
  const pid = Number(readFileSync(mark("pid"), "utf8"));
  return {
    runner,
    proxy,
    jobId,
    again,
    wasAsked: () => existsSync(mark("asked")),
    runs: () => readStat(pid) !== undefined,
  };
}

const hasTakenUp = ({ said }: AgentProcess): boolean =>
  said.log.some(({ msg }) => msg === "resuming a job");

describe("what a killed agent left running", () => {
  test("is stopped in order by a next one that is told to stop before it has found the broker", async () => {
    const { runner, proxy, jobId, again, wasAsked, runs } = await setup();
    await proxy.setDown(true);
    const second = await again();
    await until(() => hasTakenUp(second));
    second.kill("SIGTERM");
    // Two signals of a kind are one for a process that has not heard the first.
    await until(() => second.said.log.some(({ signal }) => signal === "SIGTERM"));
    await until(() => second.said.log.some(({ nth }) => typeof nth === "number"));
    expect(runs()).toBe(true); // the first one lets it finish
    second.kill("SIGTERM");
    expect(await second.ended).toBe(143);
    expect([wasAsked(), runs()]).toEqual([true, false]);
    await proxy.setDown(false);
    await again();
    const { executions } = await runner.became(jobId, "cancelled");
    expect(executions).toHaveLength(1);
  });

  test("is stopped in order by a next one whose token is refused", async () => {
    const { runner, jobId, again, wasAsked, runs } = await setup();
    const second = await again(mintToken("rt"));
    expect(await second.ended).toBe(77);
    expect([wasAsked(), runs()]).toEqual([true, false]);
    await again();
    await runner.became(jobId, "cancelled");
  });

  test("is timed out by its plan's clock while there is no broker", async () => {
    const { runner, proxy, jobId, again, wasAsked, runs } = await setup({ timeout: 4e9 });
    await proxy.setDown(true);
    await again();
    await until(() => !runs());
    expect(wasAsked()).toBe(true);
    await proxy.setDown(false);
    const { executions } = await runner.became(jobId, "timed-out");
    expect(executions).toHaveLength(1);
  });
});
