import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readStat } from "../../../agent/processes/process-identity.ts";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const seconds = (count: number): number => count * 1e9;

/** A runner, and a script's way to tell that it has come so far. */
async function setup(): Promise<
  RunnerWithAgent & { mark: (name: string) => string; marked: (name: string) => Promise<void> }
> {
  const folder = await testFolder(0o777);
  const mark = (name: string): string => path.join(folder, name);
  return {
    ...(await givenRunnerWithAgent(fleet)),
    mark,
    marked: async (name) => await until(() => existsSync(mark(name))),
  };
}

const action = (steps: readonly object[], plan: object = {}) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({ ...plan, steps }),
});

describe("a job that is stopped", () => {
  test("by a cancel ends its child by SIGTERM, runs its always-steps and reports as evidence", async () => {
    const { enqueue, operate, became, agent, mark, marked } = await setup();
    const job = await enqueue(
      action([
        {
          name: "long",
          interpolated_command: `trap 'echo got-term >${mark("term")}; exit 9' TERM; touch ${mark("begun")}; sleep 600 & wait`,
        },
        { name: "never", interpolated_command: `touch ${mark("never")}` },
        { name: "tidy", always: true, interpolated_command: `touch ${mark("tidy")}` },
      ]),
    );
    await marked("begun");
    await operate(`POST /v1/runner-jobs/${job}/cancel`);
    await became(job, "cancelled");
    await marked("tidy");
    expect(await readFile(mark("term"), "utf8")).toBe("got-term\n");
    expect(existsSync(mark("never"))).toBe(false);
    await until(() => agent.status().jobs.length === 0);
  });

  test("by its step's timeout has failed, and the step's name and time are told", async () => {
    const { runSteps, mark } = await setup();
    const ended = await runSteps([
      { name: "slow", timeout: seconds(0.3), interpolated_command: "sleep 600" },
      { name: "tidy", always: true, interpolated_command: `touch ${mark("tidy")}` },
    ]);
    expect(ended).toMatchObject({
      status: "failed",
      result: { success: false, error_metadata: { reason: "timeout_step", step: "slow" } },
    });
    expect(ended.description).toContain("Step slow timed out after 300ms");
    expect(existsSync(mark("tidy"))).toBe(true);
  });

  test("by the plan's timeout has timed out", async () => {
    const { runSteps } = await setup();
    const ended = await runSteps([{ name: "slow", interpolated_command: "sleep 600" }], {
      timeout: seconds(0.5),
    });
    expect(ended).toMatchObject({
      status: "timed-out",
      result: { success: false, error_metadata: { reason: "timeout_job" } },
    });
    expect(ended.description).toContain("timed out after 500ms");
  });

  test("that ignores SIGTERM is killed, with all that it started", async () => {
    const { enqueue, mark, marked, agent } = await setup();
    await enqueue(
      action([
        {
          name: "stubborn",
          interpolated_command: `trap '' TERM; echo $$ >${mark("pid")}; setsid -f sh -c "trap '' TERM; echo \\$\\$ >${mark("escaped")}; exec sleep 600"; touch ${mark("begun")}; while :; do sleep 1; done`,
        },
      ]),
    );
    await marked("begun");
    await marked("escaped");
    agent.signal("SIGTERM");
    agent.signal("SIGTERM");
    agent.signal("SIGTERM");
    await agent.gone;
    for (const name of ["pid", "escaped"]) {
      const pid = (await readFile(mark(name), "utf8")).trim();
      expect(readStat(Number(pid))).toBeUndefined();
    }
  });

  test("leaves nobody behind, also who has erased its environment and holds no output", async () => {
    const { enqueue, ended, mark } = await setup();
    const id = await enqueue(
      action([
        {
          name: "leaves",
          interpolated_command: `env -i sleep 606 >/dev/null 2>&1 & echo $! >${mark("pid")}; exit 0`,
        },
      ]),
    );
    expect(await ended(id)).toMatchObject({ status: "finished" });
    expect(readStat(Number(await readFile(mark("pid"), "utf8")))).toBeUndefined();
  });
});
