import { existsSync, readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const notice = "/org/freedesktop/login1: org.freedesktop.login1.Manager.PrepareForShutdown (true,)";

/** An agent on a host whose `gdbus`, the host's own program, tells what a host says that goes down, once it is to, and listens on. */
async function givenHost(settings: Readonly<Record<string, string>> = {}) {
  const runner = await fleet.addRunner();
  const bin = await testDataDir();
  const gdbus = path.join(bin, "gdbus");
  const [now, pidFile] = [path.join(bin, "now"), path.join(bin, "pid")];
  await writeFile(
    gdbus,
    `#!/bin/sh\necho $$ >${pidFile}\nwhile [ ! -e ${now} ]; do sleep 0.05; done\necho '${notice}'\nwhile echo; do sleep 0.2; done\n`,
  );
  await chmod(gdbus, 0o755);
  const proxy = await faultProxy(fleet.broker.url);
  const env = { SVC_AGENT_TOKEN: runner.token, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const agent = await startAgentProcess({ url: proxy.url, env, settings });
  await until(() => agent.said.log.some(({ msg }) => msg === "agent started"));
  const said = (): string => (existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "");
  await until(() => said().endsWith("\n")); // it listens
  const announced = () => proxy.seen("POST /terminating").map(({ end }) => end);
  const requestShutdown = async () => await writeFile(now, "");
  return { runner, agent, announced, requestShutdown, listener: Number(said()) };
}

/** A script that the agent runs and nobody releases. */
async function givenHeld({ runner }: Awaited<ReturnType<typeof givenHost>>): Promise<string> {
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await until(async () => (await runner.job(jobId)).executions[0]?.status === "in-progress");
  return jobId;
}

describe("a host that goes down", () => {
  test("is told to the broker, and the agent goes", async () => {
    const { agent, requestShutdown, announced } = await givenHost();
    await requestShutdown();
    expect(await agent.ended).toBe(0);
    expect(announced()).toEqual([202]);
  });

  test("gives what runs no more time because a SIGTERM follows", async () => {
    const host = await givenHost({ "host-grace": "1s", "drain-timeout": "30m" });
    const jobId = await givenHeld(host);
    await host.requestShutdown();
    await until(() => host.announced().length >= 1);
    host.agent.kill("SIGTERM");
    expect(await host.agent.ended).toBe(0);
    expect((await host.runner.job(jobId)).status).toBe("cancelled");
  });

  test("is announced, and hurries, also when the agent goes down already", async () => {
    const host = await givenHost({ "host-grace": "1s", "drain-timeout": "30m" });
    const jobId = await givenHeld(host);
    host.agent.kill("SIGTERM");
    await host.requestShutdown();
    expect(await host.agent.ended).toBe(0);
    expect(host.announced()).toEqual([202]);
    expect((await host.runner.job(jobId)).status).toBe("cancelled");
  });
});

test("what listens to the host ends with an agent that is killed", async () => {
  const { agent, listener } = await givenHost();
  agent.kill("SIGKILL");
  await agent.ended;
  await until(() => {
    try {
      process.kill(listener, 0);
      return false;
    } catch {
      return true;
    }
  });
});

test("a SIGHUP ends nothing", async () => {
  const { runner, agent } = await givenHost();
  agent.kill("SIGHUP");
  await until(() => agent.said.log.some(({ msg }) => String(msg).includes("SIGHUP")));
  await runner.became(await runner.enqueue(), "finished");
});
