import { beforeAll, describe, expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { startSvc, startSvcInTerminal, svc } from "../support/programs/svc.ts";
import { givenProcess } from "../support/rows/given.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const envOf = ({ operatorToken }: TestRunner) => ({
  SVC_URL: fleet.broker.url,
  SVC_TOKEN: operatorToken,
});

/** A runner whose agent runs a job that does not end by itself. */
async function setup() {
  const runner = await fleet.addRunner();
  const agent = await startTestAgent({ url: fleet.broker.url, token: runner.token });
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await expect
    .poll(async () => (await runner.job(jobId)).executions[0]?.status)
    .toBe("in-progress");
  const drain = (...words: string[]) => ["runner", "drain", runner.runnerId, "--wait", ...words];
  return { runner, agent, held, jobId, drain, env: envOf(runner) };
}

describe("svc runner drain --wait", () => {
  test("tells a pipe what runs and what ends, and then the order", async () => {
    const { held, jobId, drain, env, runner } = await setup();
    const draining = startSvc(drain("--reason", "new disk"), { env });
    await expect.poll(() => draining.said.err).toContain(jobId);
    expect(draining.said.err).toMatch(new RegExp(`^${jobId} \\(actions-workflow\\): in-progress`));
    expect(draining.said.out).toBe("");
    await held.release();
    const { code, out, err } = await draining.ended;
    expect(code).toBe(0);
    expect(err).toContain(`${jobId} finished after `);
    expect(out).toMatch(
      /^ID +PROCESS +TYPE +STATUS +JOBS\nshd_\w+ +prc_\w+ +graceful +completed +1 job: 1 finished\n$/,
    );
    const again = await svc(["runner", "drain", runner.runnerId, "--wait"], { env });
    expect(again).toMatchObject({ code: 5, out: "" });
    expect(again.err).toContain("This runner has no live process to shut down.");
  });

  test("shows a terminal a line for each running job, in place, until all is over", async () => {
    const { held, jobId, drain, env, runner } = await setup();
    const draining = startSvcInTerminal(drain(), { env });
    const head = `${runner.runnerId}: 0 of 1 process gone, 1 job runs, killed in `;
    await expect.poll(() => draining.said.out).toContain(head);
    const line = new RegExp(`\n  ${jobId}  actions-workflow  [1-9]\\d*s  in-progress`);
    await expect.poll(() => draining.said.out).toMatch(line);
    expect(draining.said.out).toContain("\r\u001B[1A\u001B[J");
    await held.release();
    const { code, out } = await draining.ended;
    expect(code).toBe(0);
    expect(out).toContain(`${jobId} finished after `);
    const last = out.slice(out.lastIndexOf("\r\u001B[K"));
    expect(last).toMatch(/ID +PROCESS +.+\r\nshd_\w+ .+ completed +\d jobs?: \d .+\r\n$/);
  });

  test("ends with 124 when its time is over, while the order stands", async () => {
    const { held, jobId, drain, env, runner } = await setup();
    const late = await svc(drain("--timeout", "10ms", "-o", "json"), { env });
    expect(late.code).toBe(124);
    expect(late.err).toContain("Timed out waiting. The order stands.\n");
    expect(JSON.parse(late.out)).toMatchObject([{ type: "graceful" }]);
    await held.release();
    await runner.became(jobId, "finished");
  });

  test("ends with 1 when an order does not complete, and says which", async () => {
    const runner = await fleet.addRunner();
    const processId = await givenProcess(fleet.db, runner);
    const env = envOf(runner);
    const draining = startSvc(["runner", "drain", runner.runnerId, "--wait"], { env });
    const orders = async () =>
      (
        await fleet.db`select 1 from runner_process_shutdowns where runner_process_id = ${processId}`
      ).length;
    await expect.poll(orders).toBe(1);
    const forced = await svc(["runner", "shutdown", runner.runnerId, "--force"], { env });
    expect(forced.code).toBe(0);
    const { code, err } = await draining.ended;
    expect(code).toBe(1);
    expect(err).toContain(`The order to ${processId} is cancelled`);
  });
});
