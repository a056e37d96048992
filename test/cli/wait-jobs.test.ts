import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { tcpProxy } from "../support/network/tcp-proxy.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startSvc, startSvcInTerminal } from "../support/programs/svc.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../support/rows/given.ts";

const unknown = "job_00000000000000000000000000";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

/** A job that a runner of its own works on. */
async function startedJob() {
  const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  const processId = await givenProcess(cli.db, runner);
  const { jobId, executionId } = await givenExecution(cli.db, runner, { processId });
  const end = async (status: "finished" | "failed" | "timed-out" | "not-attempted") => {
    const result = { success: status === "finished" };
    expect(await report(cli.db, runner, { executionId, status, result })).toBe("ok");
  };
  return { jobId, end };
}

async function endedJob(status: Parameters<Awaited<ReturnType<typeof startedJob>>["end"]>[0]) {
  const { jobId, end } = await startedJob();
  await end(status);
  return jobId;
}

async function waitingJob(): Promise<string> {
  const { runnerId } = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  return (await cli.run(`job create --runner ${runnerId} --type noop -o name`)).out.trim();
}

const start = (line: string, env: Readonly<Record<string, string>> = {}) =>
  startSvc(line.split(" "), { env: { SVC_URL: cli.url, SVC_TOKEN: cli.token, ...env } });
const codesOf = async (lines: readonly string[]) =>
  (await Promise.all(lines.map(async (line) => await cli.run(line)))).map(({ code }) => code);

describe("svc job wait --exit-status", () => {
  test("has a code for each end, none of which is the waiting's own", async () => {
    const cancelled = await waitingJob();
    await cli.run(`job cancel ${cancelled}`);
    const ids = [
      await endedJob("finished"),
      await endedJob("failed"),
      await endedJob("timed-out"),
      await endedJob("not-attempted"),
      cancelled,
    ];
    const lines = ids.map((id) => `job wait ${id} --exit-status`);
    expect(await codesOf(lines)).toEqual([0, 1, 8, 10, 9]);
    expect(await codesOf(ids.map((id) => `job wait ${id}`))).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("svc job wait --for", () => {
  test("is over at once where the job is or was, and with 1 where it can never be", async () => {
    const [good, bad, waits] = [
      await endedJob("finished"),
      await endedJob("failed"),
      await waitingJob(),
    ];
    const { jobId: runs } = await startedJob();
    const wait = (id: string, what: string) => `job wait ${id} --for ${what} --timeout 10ms`;
    const met = [
      wait(good, "ended"),
      wait(good, "succeeded"),
      wait(good, "running"),
      wait(good, "queued"),
      wait(bad, "failed"),
      wait(runs, "running"),
      wait(waits, "queued"),
    ];
    expect(await codesOf(met)).toEqual(met.map(() => 0));
    const missed = [wait(bad, "succeeded"), wait(good, "failed"), wait(good, "timed-out")];
    expect(await codesOf(missed)).toEqual([1, 1, 1]);
    const late = [wait(runs, "succeeded"), wait(waits, "running"), wait(waits, "ended")];
    expect(await codesOf(late)).toEqual([124, 124, 124]);
    expect(await codesOf([wait(bad, "succeeded --exit-status"), wait(good, "nonsense")])).toEqual([
      1, 2,
    ]);
  });

  test("ends when a job that waits comes to run", async () => {
    const id = await waitingJob();
    const waiting = start(`job wait ${id} --for running --timeout 60s`);
    await cli.db`select 1`;
    await cli.run(`job cancel ${id}`);
    const { code, err } = await waiting.ended;
    expect({ code, err }).toEqual({ code: 1, err: `${id} ended as cancelled.\n` });
    const begun = await startedJob();
    expect((await cli.run(`job wait ${begun.jobId} --for running`)).out).toContain("in-progress");
  });
});

describe("svc job wait for several jobs", () => {
  test("shows each as it ends, and exits as the first that is not good, as they are named", async () => {
    const [one, two, three] = [await startedJob(), await startedJob(), await startedJob()];
    const ids = [one.jobId, two.jobId, three.jobId];
    const waiting = start(`job wait ${ids.join(" ")} --exit-status`);
    const lines = start(`job wait ${ids.join(" ")} -o ndjson`);
    await two.end("timed-out");
    const said = () => waiting.said.out + lines.said.out;
    const hasBoth = (id: string) =>
      said().split(`${id} `).length + said().split(`"id":"${id}"`).length > 3;
    await expect.poll(() => hasBoth(two.jobId)).toBe(true);
    expect(waiting.said.out).not.toContain(one.jobId);
    await three.end("finished");
    await expect.poll(() => hasBoth(three.jobId)).toBe(true);
    await one.end("failed");
    const { code, out, err } = await waiting.ended;
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const rows = out.split("\n").slice(0, -1);
    expect(rows[0]).toMatch(/^ID +TYPE/);
    expect(rows.slice(1).map((row) => row.split(" ")[0])).toEqual(
      [two, three, one].map(({ jobId }) => jobId),
    );
    const objects = await lines.ended;
    expect(objects.code).toBe(0);
    const read = objects.out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as RunnerJob);
    expect(read.map(({ id, status }) => [id, status])).toEqual([
      [two.jobId, "timed-out"],
      [three.jobId, "finished"],
      [one.jobId, "failed"],
    ]);
  });

  test("names those that are late, and refuses an id that is nobody's before it waits", async () => {
    const [good, late] = [await endedJob("finished"), await waitingJob()];
    const { code, out, err } = await cli.run(`job wait ${late} ${good} ${good} --timeout 10ms`);
    expect(code).toBe(124);
    expect(out.match(/job_/g)).toHaveLength(1);
    expect(err).toBe(`${late} is queued: timed out waiting.\n`);
    expect(await cli.run(`job wait ${late} ${unknown}`)).toMatchObject({ code: 3, out: "" });
    const many = Array.from({ length: 101 }, (_, at) => `job_${at}`);
    expect(await cli.run(`job wait ${many.join(" ")}`)).toMatchObject({ code: 2, out: "" });
  });

  test("goes on when its broker was away for a while", async () => {
    const { jobId, end } = await startedJob();
    const proxy = await tcpProxy(cli.url);
    const waiting = start(`job wait ${jobId} --exit-status`, { SVC_URL: proxy.url });
    await expect.poll(() => proxy.count("/wait")).toBeGreaterThan(0);
    proxy.setAway(true);
    await end("finished");
    proxy.setAway(false);
    expect(await waiting.ended).toMatchObject({ code: 0, err: "" });
  });

  test("tells a terminal where they stand, until they end", async () => {
    const { jobId, end } = await startedJob();
    const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
    const waiting = startSvcInTerminal(["job", "wait", jobId], { env });
    await expect.poll(() => waiting.said.out).toMatch(/job_\w+ is in-progress … [1-9]/);
    await end("finished");
    const { code, out } = await waiting.ended;
    expect(code).toBe(0);
    const last = out.split("\r\u001B[K").at(-1);
    expect(last).toMatch(/job.* +job_\w+\r\n/);
    expect(last).not.toContain("…");
  });
});
