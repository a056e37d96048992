import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { openRunDir } from "../../agent/processes/open-run-dir.ts";
import { findMarked } from "../../agent/processes/sweep-marked.ts";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { jobReader } from "../support/agent/given-jobs.ts";
import { type AgentProcess, startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { walks } from "../support/model/walks.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";
import { testFolder } from "../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const steps = ["one", "two", "three"] as const;
const linesPerStep = 1_500;
const linesPerMark = 150;
const marksPerStep = linesPerStep / linesPerMark;
/** Each step says that it ran, prints numbered lines, shows how far it is, and has an output. */
function planIn(folder: string): string {
  const stepOf = (name: string) => ({
    name,
    interpolated_command: `echo ${name} >>${folder}/ran
      for i in $(seq ${linesPerStep}); do
        echo ${name} $i
        if [ $((i % ${linesPerMark})) = 0 ]; then printf . >>${folder}/marks; sleep 0.03; fi
      done
      echo out_${name}=${name} >>$SVC_ACTIONS_OUTPUT_FILEPATH`,
  });
  return JSON.stringify({ steps: steps.map(stepOf) });
}

const wholeLog = steps.flatMap((name) =>
  Array.from({ length: linesPerStep }, (_, at) => `${name} ${at + 1}`),
);

async function setup() {
  const runner = await fleet.addRunner({ parallelism: { actions: 1 } });
  const folder = await testFolder(0o777);
  const env = { SVC_AGENT_TOKEN: runner.token };
  const proxy = await faultProxy(fleet.broker.url);
  const { dataDir, ...first } = await startAgentProcess({ url: proxy.url, env });
  const again = async () => await startAgentProcess({ url: proxy.url, env, dataDir });
  const sizeOf = (name: string) => {
    const file = path.join(folder, name);
    return existsSync(file) ? statSync(file).size : 0;
  };
  const executions = path.join(dataDir, "executions");
  const isKept = (kind: "executions" | "results") => {
    const kept = path.join(dataDir, kind);
    return existsSync(kept) && readdirSync(kept).some((name) => name.includes("exe_"));
  };
  const isOutcomeKept = () => {
    const [name] = existsSync(executions) ? readdirSync(executions) : [];
    const state = path.join(executions, name ?? "", "state.json");
    return isKept("results") || (existsSync(state) && readFileSync(state).includes('"outcome"'));
  };
  const logOf = async (jobId: string): Promise<LogRecord[]> => {
    const records: LogRecord[] = [];
    for (let cursor = ""; ;) {
      const { body } = await fleet.broker.call<{ items: LogRecord[]; next_cursor: string | null }>(
        `GET /v1/log-streams/lgs_${jobId.slice(4)}/logs?limit=1000${cursor}`,
        { token: runner.operatorToken },
      );
      records.push(...body.items);
      if (body.next_cursor === null || body.items.length === 0) return records;
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
  };
  return {
    ...jobReader(fleet, runner),
    proxy,
    folder,
    dataDir,
    first,
    again,
    sizeOf,
    isKept,
    isOutcomeKept,
    logOf,
  };
}

type Scene = Awaited<ReturnType<typeof setup>>;

async function kill(agent: Pick<AgentProcess, "kill" | "ended">): Promise<void> {
  agent.kill("SIGKILL");
  await agent.ended;
}

async function expectWhole(scene: Scene, jobId: string): Promise<void> {
  const { ended, folder, dataDir, logOf, job } = scene;
  const end = await ended(jobId);
  expect(end).toMatchObject({
    status: "finished",
    outputs: Object.fromEntries(steps.map((name) => [`out_${name}`, name])),
  });
  expect((await readFile(path.join(folder, "ran"), "utf8")).trim().split("\n")).toEqual(steps);
  const own = async (): Promise<string[]> => {
    const printed = (await logOf(jobId)).map(({ body }) => body);
    return printed.filter((line) => /^(?:one|two|three) \d+$/.test(line));
  };
  // An end waits for its log for a second only; the last lines may come after it.
  await until(async () => (await own()).length >= wholeLog.length);
  expect(await own()).toEqual(wholeLog);
  // Killed before it had said that it has the job, an agent gets it once more: nothing had begun.
  const { executions } = await job(jobId);
  expect(executions.filter(({ status }) => status === "finished")).toHaveLength(1);
  for (const { id } of executions) expect(await findMarked(id)).toEqual([]);
  await until(async () => (await readdir(path.join(dataDir, "work"))).length === 0);
  const { path: runDir } = await openRunDir({ dataDir });
  await until(async () => (await readdir(runDir)).length === 0);
}

describe("an agent that is killed again and again", () => {
  test("wherever in a job, runs every step once and loses no line and no output", async () => {
    const places = fc.array(fc.integer({ min: 0, max: steps.length * marksPerStep }), {
      minLength: 1,
      maxLength: 3,
    });
    const model = fc.asyncProperty(places, async (marks) => {
      const scene = await setup();
      let agent: Pick<AgentProcess, "kill" | "ended"> = scene.first;
      const jobId = await scene.enqueue({ type: "actions-workflow", plan: planIn(scene.folder) });
      for (const mark of marks.toSorted((one, other) => one - other)) {
        await until(() => scene.isKept("executions") || mark > 0);
        await until(() => scene.sizeOf("marks") >= mark);
        await kill(agent);
        agent = await scene.again();
      }
      await expectWhole(scene, jobId);
      await kill(agent);
    });
    await fc.assert(model, { ...walks(3), endOnFailure: true });
  });

  test.each<[string, (scene: Scene) => boolean]>([
    [
      "its job's outcome is known and its folders are to go",
      ({ isOutcomeKept }) => isOutcomeKept(),
    ],
    ["its result is on disk and not yet with the broker", ({ isKept }) => isKept("results")],
  ])("when %s, reports the same end once", async (_, isTime) => {
    const scene = await setup();
    const delivery = scene.proxy.fail("POST /finish", "500"); // the result stays until the kill
    const jobId = await scene.enqueue({ type: "actions-workflow", plan: planIn(scene.folder) });
    await expect.poll(() => isTime(scene), { interval: 1 }).toBe(true);
    await kill(scene.first);
    delivery.mend();
    await scene.again();
    await expectWhole(scene, jobId);
  });
});
