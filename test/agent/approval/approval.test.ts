import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { action, givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const step = { interpolated_command: 'echo "did=it" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"' };

/** A program that answers, as an operator would put it there. */
async function givenProgram(script: string): Promise<string> {
  const file = path.join(await testFolder(), "approve");
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe("a job that a program has to approve", () => {
  test("is done when it says yes, and shown to it without secrets", async () => {
    const shown = path.join(await testFolder(), "shown");
    const program = await givenProgram(`cat >${shown}; echo "$SVC_JOB_TYPE is fine"`);
    const { runSteps } = await givenRunnerWithAgent(fleet, { "require-approval": program });
    const ended = await runSteps([step], { secret_env_vars: { WORD: "sesame-open-9" } });
    expect(ended).toMatchObject({ status: "finished", outputs: { did: "it" } });
    const text = await readFile(shown, "utf8");
    expect(JSON.parse(text)).toMatchObject({
      job_id: ended.id,
      type: "actions-workflow",
      plan: { steps: [{ interpolated_command: "(secret)" }] },
    });
    expect(text).not.toContain("sesame");
  });

  test.each([
    ["says no", 'echo "not on a Friday"; exit 1', {}, "not on a Friday"],
    ["fails", "exit 3", {}, "exited with code 3"],
    [
      "does not answer",
      "sleep 600",
      { "approval-timeout": "300ms" },
      "nobody answered within 300ms",
    ],
  ])("is refused when it %s, and nothing of it is done", async (_, script, more, words) => {
    const mark = path.join(await testFolder(0o777), "mark");
    const settings = { "require-approval": await givenProgram(script), ...more };
    const { runSteps } = await givenRunnerWithAgent(fleet, settings);
    const ended = await runSteps([{ interpolated_command: `touch ${mark}` }]);
    expect(ended).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "refused", setting: "require-approval" } },
    });
    expect(ended.description).toContain("This job was not approved");
    expect(ended.description).toContain(words);
    expect(existsSync(mark)).toBe(false);
  });

  test("is refused when there is no such program", async () => {
    const { runSteps, run } = await givenRunnerWithAgent(fleet, {
      "require-approval": "/nowhere/approve",
    });
    const ended = await runSteps([step]);
    expect(ended.description).toContain("/nowhere/approve does not exist");
    expect(await run({ type: "health-check" })).toMatchObject({ status: "finished" });
  });
});

describe("a job that somebody has to approve in a folder", () => {
  test("waits for the file, over a kill of its agent, and asks once", async () => {
    const folder = await testFolder(0o700);
    const runner = await givenKillableAgent(fleet, { "require-approval": folder });
    const file = (end: string): string => path.join(folder, end);
    await writeFile(file("other.yes"), "");
    const id = await runner.enqueue(action([step]));
    const request = file(`${id}.request.json`);
    await until(() => existsSync(request));
    expect(JSON.parse(await readFile(request, "utf8"))).toMatchObject({ job_id: id });
    await runner.kill(runner.first);
    await writeFile(file(`${id}.yes`), "looks good\n");
    await runner.again();
    expect(await runner.ended(id)).toMatchObject({ status: "finished", outputs: { did: "it" } });
    expect(await readdir(folder)).toEqual(["other.yes"]);
    const asked = (await runner.logOf(id)).filter((line) => line.startsWith("Asks "));
    expect(asked).toHaveLength(1);
    expect(await runner.logOf(id)).toContain("It is approved: looks good.");
  });

  test("is refused by the file that says no", async () => {
    const folder = await testFolder(0o700);
    const { enqueue, ended } = await givenRunnerWithAgent(fleet, { "require-approval": folder });
    const id = await enqueue(action([step]));
    await until(() => existsSync(path.join(folder, `${id}.request.json`)));
    await writeFile(path.join(folder, `${id}.no`), "");
    expect((await ended(id)).description).toContain("not approved (someone said no)");
  });

  test("is cancelled while it waits, and was not refused by that", async () => {
    const folder = await testFolder(0o700);
    const { enqueue, ended, operate } = await givenRunnerWithAgent(fleet, {
      "require-approval": folder,
    });
    const id = await enqueue(action([step]));
    await until(() => existsSync(path.join(folder, `${id}.request.json`)));
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    const job = await ended(id);
    expect(job.status).toBe("cancelled");
    await until(async () => (await readdir(folder)).length === 0);
  });
});
