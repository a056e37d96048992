import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { heldScript } from "../support/agent/held-script.ts";
import { hurried, startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { testFolder } from "../support/run/folder.ts";

const source = path.join(import.meta.dirname, "..", "..", "agent", "main.ts");
let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type OneJobRun = {
  readonly said: { out: string; err: string };
  readonly exit: Promise<number | null>;
  /** Everything that it made outside of itself. */
  readonly leftovers: () => Promise<string[]>;
};

/** `svc-agent run-job`, hurried, in folders that are this run's alone. */
async function runJob(flags: Readonly<Record<string, string>>, token = ""): Promise<OneJobRun> {
  const [temporary, runDir] = [await testFolder(0o700), await testFolder(0o700)];
  const settings = { "broker-url": fleet.broker.url, "run-dir": runDir, ...hurried, ...flags };
  const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const env = { PATH: process.env["PATH"], TMPDIR: temporary, SVC_AGENT_TOKEN: token };
  const child = spawn(process.execPath, [source, "run-job", ...given], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (bytes: Buffer) => (said.out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (said.err += bytes.toString()));
  const exit = once(child, "close").then(() => child.exitCode);
  const leftovers = async () => [...(await readdir(temporary)), ...(await readdir(runDir))];
  return { said, exit, leftovers };
}

const script = (interpolated_inline_contents: string, more: object = {}) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({ steps: [{ name: "only", interpolated_inline_contents, ...more }] }),
});

describe("svc-agent run-job", () => {
  test("does one job, shows its log without secrets, and leaves nothing behind", async () => {
    const runner = await fleet.addRunner();
    const interpolated_env_vars = { API_TOKEN: "correct-horse-battery" };
    const first = await runner.enqueue(script("echo it is $API_TOKEN", { interpolated_env_vars }));
    const second = await runner.enqueue(script("true"));
    const { said, exit, leftovers } = await runJob({ groups: "actions" }, runner.token);
    expect(await exit).toBe(0);
    expect(said.out).toContain("it is ***\n");
    expect(said.err).toContain(`the job is ${first}`);
    expect((await runner.job(first)).status).toBe("finished");
    expect((await runner.job(second)).executions).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  test("prints the job's log and nothing else, and says nothing of a time that is over", async () => {
    const runner = await fleet.addRunner();
    const plan = {
      steps: [
        { name: "first step", interpolated_inline_contents: "printf unended" },
        { name: "second step", interpolated_inline_contents: "echo next; exit 5" },
      ],
    };
    const job = await runner.enqueue({ type: "actions-workflow", plan: JSON.stringify(plan) });
    const { said, exit } = await runJob({ groups: "actions" }, runner.token);
    expect(await exit).toBe(1);
    const log = await fleet.broker.call<{ items: LogRecord[] }>(
      `GET /v1/log-streams/lgs_${job.slice(4)}/logs?cursor=`,
      { token: runner.operatorToken },
    );
    const lines = log.body.items.map(({ body }) => `${body}\n`);
    expect(lines).toEqual(expect.arrayContaining(["unended\n", "next\n"]));
    expect(said.out).toBe(lines.join(""));
    expect(said.err).not.toContain("the drain timeout is over");
  });

  test("exits as its job ended", async () => {
    const runner = await fleet.addRunner();
    await runner.enqueue(script("echo oh; exit 3"));
    const failed = await runJob({ groups: "actions" }, runner.token);
    expect(await failed.exit).toBe(1);
    expect(failed.said.err).toContain("exited with code 3");
    const held = heldScript(await testDataDir());
    const jobId = await runner.enqueue(held.job);
    const cancelled = await runJob({ groups: "actions" }, runner.token);
    const status = async () => (await runner.job(jobId)).executions[0]?.status;
    await until(async () => (await status()) === "in-progress");
    await runner.operate(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect(await cancelled.exit).toBe(130);
    expect(await cancelled.leftovers()).toEqual([]);
  });

  test("says so when no job comes", async () => {
    const runner = await fleet.addRunner();
    const { said, exit, leftovers } = await runJob(
      { groups: "actions", wait: "100ms" },
      runner.token,
    );
    expect(await exit).toBe(27);
    expect(said.err).toBe("svc-agent: no job came within 100ms\n");
    expect(await leftovers()).toEqual([]);
  });

  test("works beside an agent of the same host, by the token that it has enrolled for", async () => {
    const runner = await fleet.addRunner();
    const boot = await runner.operate(`POST /v1/runners/${runner.runnerId}/enrolment-tokens`);
    const file = path.join(await testFolder(), "token");
    await writeFile(file, String(boot["secret"]));
    const given = { url: fleet.broker.url, token: "" };
    const settings = { "token-file": file, groups: "deploy" };
    const agent = await startTestAgent(given, settings);
    const jobId = await runner.enqueue(script("echo beside"));
    const { said, exit } = await runJob({ groups: "actions", "data-dir": agent.dataDir });
    expect(await exit).toBe(0);
    expect(said.out).toContain("beside\n");
    expect((await runner.job(jobId)).status).toBe("finished");
    await runner.became(await runner.enqueue({ type: "noop-deploy" }), "finished");
  });

  test("spends no one-shot token", async () => {
    const runner = await fleet.addRunner();
    const boot = await runner.operate(`POST /v1/runners/${runner.runnerId}/enrolment-tokens`);
    const { said, exit } = await runJob(
      { "data-dir": await testDataDir() },
      String(boot["secret"]),
    );
    expect(await exit).toBe(78);
    expect(said.err).toContain("would be spent for one job");
  });
});
