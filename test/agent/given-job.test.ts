import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { podJobText } from "../../agent/pod-job/pod-job.ts";
import type { NewJob } from "../../broker/jobs/new-job.ts";
import { heldScript } from "../support/agent/held-script.ts";
import { hurried } from "../support/agent/start-test-agent.ts";
import { claimOverHttp } from "../support/broker/claim-over-http.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { agentProgram, compileCache } from "../support/programs/present-programs.ts";
import { testFolder } from "../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** What an action of one script is. */
const script = (interpolated_inline_contents: string, more: object = {}) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({ steps: [{ name: "only", interpolated_inline_contents, ...more }] }),
});

/** A claimed job of this script in a file, as a listener writes it for somebody else. */
async function givenClaimed(runner: TestRunner, job: Partial<NewJob>) {
  const jobId = await runner.enqueue(job);
  const { plan: _, ...claimed } = await claimOverHttp(fleet, runner);
  const file = path.join(await testFolder(0o700), "job.json");
  const text = podJobText({
    broker_url: fleet.broker.url,
    runner_id: runner.runnerId,
    ...claimed,
    settings: { sandbox_mode: false },
  });
  await writeFile(file, text, { mode: 0o600 });
  return { jobId, file, token: claimed.token, executionId: claimed.execution.id };
}

/** `svc-agent run-job --job-file`, with nothing but the file. */
async function run(file: string) {
  const [temporary, runDir] = [await testFolder(0o700), await testFolder(0o700)];
  const { "watch-port": _, ...settings } = { "run-dir": runDir, "job-file": file, ...hurried };
  const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, TMPDIR: temporary };
  const child = spawn(process.execPath, [agentProgram, "run-job", ...given], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (bytes: Buffer) => (said.out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (said.err += bytes.toString()));
  const exit = once(child, "close").then(() => child.exitCode);
  const leftovers = async () => [...(await readdir(temporary)), ...(await readdir(runDir))];
  return { said, exit, leftovers, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

describe("svc-agent run-job --job-file", () => {
  test("does the claimed job with the job's own token, to its end", async () => {
    const runner = await fleet.addRunner();
    const interpolated_env_vars = { API_TOKEN: "correct-horse-battery" };
    const lines = "echo it is $API_TOKEN; echo 7 | svc-agent output set seven";
    const job = script(lines, { interpolated_env_vars });
    const { jobId, file } = await givenClaimed(runner, job);
    const { said, exit, leftovers } = await run(file);
    expect(await exit).toBe(0);
    expect(said.out).toContain("it is ***\n");
    expect(await leftovers()).toEqual([]);
    expect(await runner.job(jobId)).toMatchObject({ status: "finished" });
    const log = await fleet.broker.call<{ items: { body: string }[] }>(
      `GET /v1/log-streams/lgs_${jobId.slice(4)}/logs?cursor=`,
      { token: runner.operatorToken },
    );
    expect(log.body.items.map(({ body }) => body)).toContain("it is ***");
  });

  test("does nothing when the job has begun before, or is over", async () => {
    const runner = await fleet.addRunner();
    const held = heldScript(await testFolder(0o777));
    const { jobId, file } = await givenClaimed(runner, held.job);
    const first = await run(file);
    await until(() => first.said.out.includes("waiting"));
    const second = await run(file);
    expect(await second.exit).toBe(27);
    expect(second.said.err).toContain("has already started or ended");
    await held.release();
    expect(await first.exit).toBe(0);
    const third = await run(file);
    expect(await third.exit).toBe(27);
    expect((await runner.job(jobId)).executions).toHaveLength(1);
  });

  test("learns by itself that the job was cancelled", async () => {
    const runner = await fleet.addRunner();
    const held = heldScript(await testFolder(0o777));
    const { jobId, file } = await givenClaimed(runner, held.job);
    const { exit, said } = await run(file);
    await until(() => said.out.includes("waiting"));
    await runner.operate(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect(await exit).toBe(130);
    await runner.became(jobId, "cancelled");
  });

  test("stops at the first SIGTERM, and says so as the job's end", async () => {
    const runner = await fleet.addRunner();
    const held = heldScript(await testFolder(0o777));
    const { jobId, file } = await givenClaimed(runner, held.job);
    const { exit, kill, said } = await run(file);
    await until(() => said.out.includes("waiting"));
    kill("SIGTERM");
    expect(await exit).toBe(130);
    const { executions } = await runner.became(jobId, "cancelled");
    expect(executions[0]?.status_description).toContain("the agent was stopped");
  });

  test("fetches a plan of five megabytes by itself", async () => {
    const runner = await fleet.addRunner();
    const filler = "x".repeat(5 * 2 ** 20);
    const job = script(`echo done # ${filler}`);
    const { jobId, file } = await givenClaimed(runner, job);
    const { exit } = await run(file);
    expect(await exit).toBe(0);
    await runner.became(jobId, "finished");
  });

  test("gets along without what the job's token is refused", async () => {
    const runner = await fleet.addRunner();
    const other = await runner.enqueue({ type: "noop-deploy" });
    const { token, jobId } = await givenClaimed(runner, script("true"));
    const base = `/v1/runners/${runner.runnerId}`;
    const status = async (what: string, body?: object) =>
      (await fleet.broker.call(what, { token, ...(body && { body }) })).status;
    expect(await status(`GET ${base}/jobs/${jobId}/plan`)).toBe(200);
    expect(await status(`GET ${base}/jobs/${other}/plan`)).toBe(403);
    expect(await status(`GET /v1/runner-jobs/${other}/plan`)).toBe(403);
    expect(await status(`GET ${base}/jobs`)).toBe(403);
    expect(await status(`GET ${base}/settings`)).toBe(403);
    expect(await status(`POST ${base}/processes`, { type: "install", version: "1" })).toBe(403);
    expect(await status(`POST ${base}/jobs/claim`, { groups: { actions: 1 } })).toBe(403);
    expect(await status(`POST ${base}/heart-beats`, {})).toBe(403);
  });

  test("says what is wrong with its file, and repeats nothing of it", async () => {
    const file = path.join(await testFolder(0o700), "job.json");
    await writeFile(file, '{"version": 1, "token": "svc_job_secret"}');
    const { exit, said } = await run(file);
    expect(await exit).toBe(78);
    expect(said.err).toContain("is not a job file");
    expect(said.err).not.toContain("svc_job");
  });
});
