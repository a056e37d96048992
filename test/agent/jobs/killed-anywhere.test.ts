import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { jobReader } from "../../support/agent/given-jobs.ts";
import { startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testFolder } from "../../support/run/folder.ts";

const stepCount = 12;

test("an action whose agent is killed again and again runs each step once, in order", async () => {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner({ parallelism: { actions: 1 } });
  const { enqueue, ended } = jobReader(fleet, runner);
  const ran = path.join(await testFolder(0o777), "ran");
  const names = Array.from({ length: stepCount }, (_, at) => `s${at}`);
  const steps = names.map((name) => ({
    name,
    interpolated_command: `echo ${name} >>${ran}; sleep 0.1; echo ${name}=done >"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
  }));
  const begun = async (): Promise<string[]> =>
    (await readFile(ran, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  const given = { url: fleet.broker.url, env: { SVC_AGENT_TOKEN: runner.token } };
  let agent = await startAgentProcess(given);
  const id = await enqueue({ type: "actions-workflow", plan: JSON.stringify({ steps }) });
  for (const killAfter of [1, 3, 5, 8]) {
    await until(async () => (await begun()).length >= killAfter);
    agent.kill("SIGKILL");
    await agent.ended;
    agent = await startAgentProcess({ ...given, dataDir: agent.dataDir });
  }
  const job = await ended(id);
  expect(await begun()).toEqual(names);
  expect(job).toMatchObject({ status: "finished", description: "" });
  expect(job.outputs["steps"]).toEqual(
    Object.fromEntries(names.map((name) => [name, { [name]: "done" }])),
  );
});
