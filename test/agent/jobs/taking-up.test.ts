import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { action, givenKillableAgent, wait } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { patiently } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

describe("an agent that was killed and started again", () => {
  test("adopts the running step, runs the rest, and repeats nothing", async () => {
    const { enqueue, ended, first, again, kill, mark, marked, lines } =
      await givenKillableAgent(fleet);
    const ran = (step: string): string => `echo ${step} >>${mark("ran")}`;
    const id = await enqueue(
      action([
        {
          name: "one",
          interpolated_command: `${ran("one")}; echo kept=1 >>$SVC_ACTIONS_OUTPUT_FILEPATH`,
        },
        {
          name: "two",
          interpolated_command: `${ran("two")}; touch ${mark("begun")}; ${wait(mark("go"))}; ${ran("two-ends")}; echo taken=2 >>$SVC_ACTIONS_OUTPUT_FILEPATH`,
        },
        { name: "three", interpolated_command: ran("three") },
      ]),
    );
    await marked("begun");
    await kill(first);
    await writeFile(mark("go"), "");
    await until(async () => (await lines("ran")).includes("two-ends"));
    await again();
    const job = await ended(id);
    expect(job).toMatchObject({
      status: "finished",
      outputs: { kept: "1", taken: "2", steps: { one: { kept: "1" }, two: { taken: "2" } } },
    });
    expect(await lines("ran")).toEqual(["one", "two", "two-ends", "three"]);
  });

  test("reports the true exit code of a step that ended meanwhile", async () => {
    const { enqueue, ended, first, again, kill, mark, marked } = await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        {
          name: "dies",
          interpolated_command: `touch ${mark("begun")}; ${wait(mark("go"))}; touch ${mark("over")}; exit 23`,
        },
      ]),
    );
    await marked("begun");
    await kill(first);
    await writeFile(mark("go"), "");
    await marked("over");
    await again();
    const job = await ended(id);
    expect(job).toMatchObject({ status: "failed", result: { error_code: 23 } });
    expect(job.description).toBe("Step dies exited with code 23.");
  });

  test("stops a job that was cancelled while it was away, and leaves nothing of it", async () => {
    const { enqueue, became, operate, first, again, kill, mark, marked, lines } =
      await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        {
          name: "long",
          interpolated_command: `echo $$ >${mark("pid")}; touch ${mark("begun")}; sleep 600`,
        },
      ]),
    );
    await marked("begun");
    await kill(first);
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    await became(id, "cancelled");
    const { dataDir } = await again();
    const [pid] = await lines("pid");
    await until(() => !existsSync(`/proc/${pid}/cwd`));
    await until(async () => (await readdir(path.join(dataDir, "work"))).length === 0);
  });

  test("says so when nobody can know how a step ended", async () => {
    const { enqueue, ended, runDir, first, again, kill, mark, marked } =
      await givenKillableAgent(fleet);
    const id = await enqueue(
      action([
        { name: "kept", interpolated_command: "echo kept=1 >$SVC_ACTIONS_OUTPUT_FILEPATH" },
        { name: "gone", interpolated_command: `touch ${mark("begun")}; sleep 600` },
        { name: "next", interpolated_command: `touch ${mark("next")}` },
      ]),
    );
    await marked("begun");
    await kill(first);
    const file = await stateFile(first.dataDir);
    // As after a restart of the host: what ran then is gone.
    const state = await readFile(file, "utf8");
    await writeFile(file, state.replaceAll(/"bootId":"[^"]+"/g, '"bootId":"another"'));
    for (const name of await readdir(runDir)) await rm(path.join(runDir, name), patiently);
    await again();
    const job = await ended(id);
    expect(job).toMatchObject({
      status: "failed",
      outputs: { kept: "1" },
      result: { error_metadata: { reason: "lost", step: "gone" } },
    });
    expect(job.description).toContain("its outcome is unknown");
    expect(existsSync(mark("next"))).toBe(false);
  });
});

async function stateFile(dataDir: string): Promise<string> {
  const [executionId = ""] = await readdir(path.join(dataDir, "executions"));
  return path.join(dataDir, "executions", executionId, "state.json");
}
