import { beforeAll, describe, expect, test } from "vitest";
import { sampleStats } from "../../broker/stats/sample-stats.ts";
import { tallyAll } from "../support/broker/metrics.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { claim, givenJobs, givenProcess, givenRunner, report } from "../support/rows/given.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

describe("svc stats", () => {
  test("says when nothing was sampled yet", async () => {
    expect((await cli.run("stats")).out).toMatch(/^as of +not sampled yet[^]*queued +0\n/);
  });

  test("shows what waits, runs and failed, and what needs a look", async () => {
    const { db, runner } = cli;
    const processId = await givenProcess(db, runner);
    await givenJobs(db, runner, [{}, {}, {}]);
    const [held] = await claim(db, runner, { processId });
    const failure = { status: "failed", result: { success: false } };
    await report(db, runner, { executionId: held?.executionId ?? "", ...failure });
    await claim(db, runner, { processId });
    const lost = await givenRunner(db, { orgId: runner.orgId });
    await givenJobs(db, lost, [{}]);
    await sampleStats(db);
    await tallyAll(db);
    const { out, err, code } = await cli.run("stats");
    expect(code).toBe(0);
    expect(out).toMatch(/^as of +\d+s ago$/m);
    expect(out).toMatch(/^queued +2, the oldest for \d+s$/m);
    expect(out).toMatch(/^in progress +1 \(1 of 1 slot in use\)$/m);
    expect(out).toMatch(/^last hour +4 enqueued, 1 failed$/m);
    expect(out).toMatch(/^runners +1 online \(1 busy\), 0 offline, 1 other$/m);
    const failed = held?.jobId ?? "";
    expect(out.slice(out.indexOf("problems")).replaceAll(/\d+s$/gm, "0s")).toBe(
      [
        "problems     jobs that did not succeed in the last hour (1):",
        `               ${failed}  noop-deploy  since 0s`,
        "             runners that are not online, while jobs wait (1):",
        `               ${lost.runnerId}  1 waiting  since 0s\n`,
      ].join("\n"),
    );
    expect(err).toBe(
      `Why it did not succeed: svc job get ${failed}\n` +
        `Start its agent, or enrol one: svc runner enrol ${lost.runnerId}\n`,
    );
    expect((await cli.run("status -o name")).out).toBe(`${failed}\n${lost.runnerId}\n`);
    const { last_hour: hour } = JSON.parse((await cli.run("stats -o json")).out) as {
      last_hour: { failed: number };
    };
    expect(hour.failed).toBe(1);
  });

  test("draws figures of jobs over time", async () => {
    const { out, err } = await cli.run("stats jobs --since 1h --step 5m");
    expect(out).toMatch(/^FIGURE +OVER TIME +LATEST +HIGHEST\n/);
    expect(out).toMatch(/^failed +·+█·? +1 +1$/m);
    expect(out).toMatch(/^enqueued +·+█·? +4 +4$/m);
    expect(err).toMatch(/^1[23] points of 5m, from /);
    expect((await cli.run("stats jobs --step 7m")).code).toBe(2);
    expect(await cli.run("stats jobs --since 9d --step 1m")).toMatchObject({ code: 2 });
    const { step } = JSON.parse((await cli.run("stats jobs -o json")).out) as { step: number };
    expect(step).toBe(300e9);
  });
});
