import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { mintToken } from "../../shared/token.ts";
import { type AgentProcess, startAgentProcess } from "../support/agent/start-agent-process.ts";
import { testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";
import { agentProgram, agentSource } from "../support/programs/present-programs.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** Resolves when the agent has logged the message; fails with what it said if it never does. */
async function logged(agent: AgentProcess, msg: string): Promise<void> {
  await expect.poll(() => agent.said.log.some((line) => line["msg"] === msg)).toBe(true);
}

async function tokenFile(token: string): Promise<string> {
  const file = path.join(await testDataDir(), "token");
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  return file;
}

describe("an agent's process", () => {
  test("has its token neither in its environment nor in its arguments", async () => {
    const { token, enqueue, became } = await fleet.addRunner();
    const agent = await startAgentProcess({
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: token, SVC_AGENT_LOG_LEVEL: "trace" },
    });
    await became(await enqueue(), "finished");
    const shown = await Promise.all(
      ["environ", "cmdline"].map((name) => readFile(`/proc/${agent.pid}/${name}`, "utf8")),
    );
    expect(shown.join("\n")).toContain("PATH=");
    expect(shown.join("\n")).not.toContain(token);
    expect(JSON.stringify(agent.said)).not.toContain(token.slice(-30));
  });

  test("takes no token that a process above it shows to all jobs", async () => {
    const { token } = await fleet.addRunner();
    const agent = await startAgentProcess({
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: token },
      command: ["/bin/sh", "-c", '"$@"; exit $?', "init", process.execPath, agentProgram],
    });
    expect(await agent.ended).toBe(78);
    expect(agent.said.err).toContain(`in the environment of the parent process ${agent.pid}`);
    expect(agent.said.err).not.toContain(token);
  });

  test.each([agentProgram, agentSource])(
    "of %s ends with 0 after one SIGTERM when it is idle",
    async (main) => {
      const { token } = await fleet.addRunner();
      const settings = { "token-file": await tokenFile(token) };
      const command = [process.execPath, main] as const;
      const agent = await startAgentProcess({ url: fleet.broker.url, settings, command });
      await logged(agent, "agent started");
      agent.kill("SIGTERM");
      expect(await agent.ended).toBe(0);
    },
  );

  test.each([
    [["--tokn-file", "x"], 64, "Did you mean --token-file?"],
    [["--groups", "deplyo=1"], 78, "did you mean deploy?"],
  ])(
    "says what is wrong with %j and ends with %i",
    async ([flag = "", value = ""], code, words) => {
      const settings = { [flag.slice(2)]: value };
      const agent = await startAgentProcess({ url: fleet.broker.url, settings });
      expect(await agent.ended).toBe(code);
      expect(agent.said.err).toContain(words);
    },
  );

  test("ends with 77 when the broker refuses its token", async () => {
    const env = { SVC_AGENT_TOKEN: mintToken("rt") };
    const agent = await startAgentProcess({ url: fleet.broker.url, env });
    expect(await agent.ended).toBe(77);
    expect(agent.said.err).toContain("The broker refuses");
  });

  test("ends with 78 when it is given no token of svc", async () => {
    const env = { SVC_AGENT_TOKEN: "hunter2" };
    const agent = await startAgentProcess({ url: fleet.broker.url, env });
    expect(await agent.ended).toBe(78);
    expect(agent.said.err).not.toContain("hunter2");
  });

  test("ends with 69 when there is no broker for as long as start-timeout", async () => {
    const { token } = await fleet.addRunner();
    const proxy = await faultProxy(fleet.broker.url);
    await proxy.setDown(true);
    const agent = await startAgentProcess({
      url: proxy.url,
      env: { SVC_AGENT_TOKEN: token },
      settings: { "start-timeout": "300ms" },
    });
    expect(await agent.ended).toBe(69);
    expect(agent.said.err).toContain("cannot be reached");
  });
});
