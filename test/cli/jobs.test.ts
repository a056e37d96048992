import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startSvc, startSvcInTerminal, svc } from "../support/programs/svc.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

async function createJob(flags = ""): Promise<string> {
  const { out } = await cli.run(
    `job create --runner ${cli.runner.runnerId} --type noop -o name${flags}`,
  );
  return out.trim();
}

/** A job that a runner of its own works on. */
async function startedJob() {
  const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
  const processId = await givenProcess(cli.db, runner);
  const { jobId, executionId } = await givenExecution(cli.db, runner, { processId });
  const end = async (status: "finished" | "failed", description = "") => {
    const result = { success: status === "finished" };
    const reported = { executionId, status, description, result };
    expect(await report(cli.db, runner, reported)).toBe("ok");
  };
  return { jobId, end };
}

async function endedJob(status: "finished" | "failed", description = ""): Promise<string> {
  const { jobId, end } = await startedJob();
  await end(status, description);
  return jobId;
}

describe("svc job create", () => {
  test("shows the job, and says how to follow it", async () => {
    const made = await cli.run(
      `job create --runner ${cli.runner.runnerId} --type noop --metadata team=red --queue-timeout 15m`,
    );
    expect(made).toMatchObject({ code: 0 });
    const id = /job_\w+/.exec(made.out)?.[0];
    expect(made.out).toMatch(/^job +job_/);
    expect(made.out).toContain("queue 15m");
    expect(made.out).toContain("team=red");
    expect(made.err).toBe(`Follow it: svc job wait ${id}\n`);
  });

  test("hands on a plan byte for byte, from a file and from standard input", async () => {
    const plan = '{ "big": 12345678901234567890,\n "é": "\\u00e9" }';
    const file = path.join(await testFolder(), "plan.json");
    await writeFile(file, plan);
    const ids = await Promise.all([
      createJob(` --plan-file ${file}`),
      cli
        .run(`job create --runner ${cli.runner.runnerId} --type noop -o name --plan-file -`, plan)
        .then(({ out }) => out.trim()),
    ]);
    for (const id of ids)
      expect((await cli.run(`job get ${id} --only-plan`)).out).toBe(`${plan}\n`);
  });

  test("refuses a plan that is no object before it asks anybody", async () => {
    const line = `job create --runner ${cli.runner.runnerId} --type noop --plan-file -`;
    expect(await cli.run(line, "[1]")).toMatchObject({ code: 2 });
    expect((await cli.run(line, "{")).err).toBe("The plan in - is not valid JSON.\n");
  });

  test("makes one job of a repetition with the same key", async () => {
    const ids = [
      await createJob(" --idempotency-key once"),
      await createJob(" --idempotency-key once"),
    ];
    expect(new Set(ids).size).toBe(1);
  });

  test("shows what the broker refuses, where, and the request's id", async () => {
    const refused = await cli.run(
      `job create --runner ${cli.runner.runnerId} --type noop --queue-timeout 90d --overall-timeout 90d`,
    );
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("#/queue_timeout");
    expect(refused.err).toContain("#/overall_timeout");
    expect(refused.err).toMatch(/\nRequest [\w-]{8,64}\n$/);
  });
});

describe("svc job list and get", () => {
  test("show a table, the API's JSON, lines or ids", async () => {
    const id = await createJob();
    const list = `job list --runner ${cli.runner.runnerId} --limit 1`;
    const [table, json, lines, names] = await Promise.all([
      cli.run(list),
      cli.run(`${list} -o json`),
      cli.run(`job list --limit 1 -o ndjson`),
      cli.run(`job list --status queued --status available --limit 1 -o name`),
    ]);
    expect(table.out).toMatch(
      /^ID +TYPE +STATUS +AGE +EXECUTIONS +TOOK +RUNNER\njob_\w+ +noop +queued/,
    );
    const page = JSON.parse(json.out) as { items: RunnerJob[]; next_cursor: string };
    expect(page.items.map((job) => job.id)).toEqual([id]);
    expect((JSON.parse(lines.out) as RunnerJob).id).toBe(id);
    expect(names.out).toBe(`${id}\n`);
    expect(names.err).toContain(" --cursor ");
    const got = await cli.run(`job get ${id} -o json`);
    expect((JSON.parse(got.out) as RunnerJob).id).toBe(id);
  });

  test("say on standard error that there is nothing, and what to try", async () => {
    expect(await cli.run("job list --status timed-out")).toEqual({
      code: 0,
      out: "",
      err: "No jobs found. Create one: svc job create --runner RUNNER --type noop\n",
    });
  });

  test("keep what a runner wrote from steering the terminal", async () => {
    const jobId = await endedJob("failed", "\u001B]0;owned\u0007 red");
    const shown = await cli.run(`job get ${jobId}`);
    expect(shown.out).toContain("red");
    expect(shown.out).not.toContain("\u001B");
  });
});

describe("svc job wait", () => {
  test("ends with 0 for any end, and by --exit-status with 1 for a bad one", async () => {
    const [good, bad] = [await endedJob("finished"), await endedJob("failed")];
    const results = await Promise.all([
      cli.run(`job wait ${good} --exit-status`),
      cli.run(`job wait ${bad}`),
      cli.run(`job wait ${bad} --exit-status`),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 1]);
    expect(results[2]?.out).toContain("failed");
  });

  test("ends when the job does", async () => {
    const { jobId, end } = await startedJob();
    const waiting = cli.run(`job wait ${jobId} --exit-status --timeout 20s`);
    await end("finished");
    expect(await waiting).toMatchObject({ code: 0 });
  });

  test("ends with 124 when its time is over, and says how to find out why", async () => {
    const id = await createJob();
    const over = await cli.run(`job wait ${id} --timeout 10ms`);
    expect(over).toMatchObject({ code: 124, out: "" });
    expect(over.err).toContain(`svc job why ${id}`);
  });
});

describe("svc job cancel, rerun and why", () => {
  test("cancel a job, run it again, and say why it waits", async () => {
    const id = await createJob();
    expect((await cli.run(`job cancel ${id}`)).out).toContain("cancelled");
    const again = await cli.run(`job rerun ${id} -o json`);
    const job = JSON.parse(again.out) as RunnerJob;
    expect(job.rerun_of).toBe(id);
    const [why, ended, bad] = await Promise.all([
      cli.run(`job why ${job.id}`),
      cli.run(`job why ${id}`),
      cli.run(`job cancel ${await endedJob("finished")}`),
    ]);
    expect(why.out).toMatch(/waiting +\S+/);
    expect(ended.out).toContain("It does not wait.");
    expect(bad).toMatchObject({ code: 5, out: "" });
  });

  test("know no job of another name", async () => {
    const refused = await cli.run("job cancel job_00000000000000000000000000");
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toContain("This job does not exist.");
  });

  test("cancel all that match and run them again, each counted and asked first", async () => {
    const owner = `own_${crypto.randomUUID()}`;
    const made = () =>
      cli.run(`job create --runner ${cli.runner.runnerId} --type noop --owner-id ${owner}`);
    await Promise.all([made(), made()]);
    const filter = ["--owner-id", owner, "--status", "queued", "--status", "available"];
    const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
    const unsaid = await svc(["job", "cancel", ...filter], { env });
    expect(unsaid).toMatchObject({ code: 1, out: "" });
    expect(unsaid.err).toContain("Cancel 2 jobs?");
    expect(unsaid.err).toContain(
      "Nothing was cancelled. To cancel without being asked, add --yes.",
    );
    const answer = { env, input: "yes\n", isInputOpen: true }; // it ends all the same
    const yes = await startSvc(["job", "cancel", ...filter], answer).ended;
    expect(yes).toMatchObject({ code: 0, out: "2 jobs were cancelled.\n" });
    const none = await cli.run(`job cancel ${filter.join(" ")} --yes -o json`);
    expect(JSON.parse(none.out)).toEqual({ cancelled: 0, told_to_stop: 0 });
    const rerun = await cli.run(`job rerun --owner-id ${owner} --status cancelled --yes`);
    expect(rerun).toMatchObject({ code: 0, out: "2 jobs were enqueued.\n" });
  });

  test("ask on a terminal, and take nothing but yes", async () => {
    const owner = `own_${crypto.randomUUID()}`;
    await cli.run(`job create --runner ${cli.runner.runnerId} --type noop --owner-id ${owner}`);
    const env = { SVC_URL: cli.url, SVC_TOKEN: cli.token };
    const asked = startSvcInTerminal(["job", "cancel", "--owner-id", owner], { env, input: "y\n" });
    const { code, out } = await asked.ended;
    expect({ code, isAsked: out.includes("Cancel 1 job?") }).toEqual({ code: 1, isAsked: true });
    expect(out).toContain("Nothing was cancelled");
  });

  test("need a job, a filter or --all, and not two of these", async () => {
    const nothing = await cli.run("job cancel --yes");
    expect(nothing).toMatchObject({ code: 2, out: "" });
    expect(nothing.err).toContain("or --all");
    const both = await cli.run(`job cancel ${await createJob()} --status queued`);
    expect(both).toMatchObject({ code: 2, out: "" });
    expect(both.err).toContain("--status is for all jobs that match");
  });
});
