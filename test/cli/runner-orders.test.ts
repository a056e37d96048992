import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { givenJob, givenProcess, givenRunner } from "../support/rows/given.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

const givenOne = async () => await givenRunner(cli.db, { orgId: cli.runner.orgId });

describe("svc runner mng", () => {
  test.each([
    ["restart", "mng-runner-restart"],
    ["shutdown", "mng-shut-down"],
    ["shutdown-vm --yes", "mng-vm-shut-down"],
  ])(
    "%s orders the host's management process, with a deadline and a reason",
    async (order, type) => {
      const { runnerId } = await givenOne();
      const [verb = "", ...flags] = order.split(" ");
      const words = `runner mng ${[verb, runnerId, ...flags].join(" ")} --deadline 10m --reason disk -o json`;
      const { code, out, err } = await cli.run(words);
      expect({ code, err }).toMatchObject({ code: 0 });
      const job = JSON.parse(out) as { id: string };
      expect(job).toMatchObject({ type, metadata: { reason: "disk" }, overall_timeout: 600e9 });
      expect(err).toBe(`Wait for it: svc job wait ${job.id} --exit-status\n`);
    },
  );

  test("powers no host off unless it is told twice", async () => {
    const { runnerId } = await givenOne();
    const unsure = await cli.run(`runner mng shutdown-vm ${runnerId}`);
    expect(unsure).toMatchObject({ code: 2, out: "" });
    expect((await cli.run(`job list --runner ${runnerId}`)).out).toBe("");
  });
});

describe("svc runner flush", () => {
  test("ends what waits, of one job group or of all, once it is confirmed", async () => {
    const runner = await givenOne();
    const ids = [await givenJob(cli.db, runner), await givenJob(cli.db, runner)];
    const flush = async (more: string) => await cli.run(`runner flush ${runner.runnerId} ${more}`);
    expect(await flush("")).toMatchObject({ code: 2, out: "" });
    expect(await flush("--group sync --yes")).toMatchObject({
      code: 0,
      out: "0 jobs were ended.\n",
    });
    expect(await flush("--yes -o json")).toMatchObject({ code: 0, out: '{"flushed":2}\n' });
    for (const id of ids)
      expect((await cli.run(`job get ${id}`)).out).toMatch(/status +not-attempted/);
    expect(await flush("--group none --yes")).toMatchObject({ code: 2, out: "" });
  });
});

describe("svc rollout", () => {
  test("orders a group, says who was skipped and why, and is 1 when that was everybody", async () => {
    const runner = await givenOne();
    const processId = await givenProcess(cli.db, runner);
    const started = await cli.run(`rollout start --group ${runner.groupId} --wait --reason image`);
    expect(started.code).toBe(1);
    expect(started.out).toMatch(/status +completed: 0 done, 1 skipped, 0 failed/);
    const id = /rlo_\w+/.exec(started.out)?.[0] ?? "";
    const [skipped, done, unknown] = await Promise.all(
      ["skipped", "done", "odd"].map(
        async (status) => await cli.run(`rollout processes ${id} --status ${status}`),
      ),
    );
    expect(skipped?.out).toMatch(new RegExp(`${processId} .+ skipped .+ last live process`));
    expect(done).toMatchObject({ code: 0, out: "" });
    expect(unknown).toMatchObject({ code: 2 });
    expect(await cli.run("rollout start")).toMatchObject({ code: 2 });
    expect(await cli.run(`rollout cancel ${id}`)).toMatchObject({ code: 5 });
  });
});
