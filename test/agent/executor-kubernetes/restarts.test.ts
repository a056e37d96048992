import { beforeAll, expect, test } from "vitest";
import { heldScript } from "../../support/agent/held-script.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { type RunnerWithExecutor, givenExecutor } from "../../support/cluster/given-executor.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

async function givenHeld(runner: RunnerWithExecutor) {
  const held = heldScript(await testFolder(0o777));
  const jobId = await runner.enqueue(held.job);
  await until(() => runner.kubelet.begun[0]?.printed().includes("waiting") === true);
  return { ...held, jobId };
}

const isSettled = async (runner: RunnerWithExecutor): Promise<boolean> =>
  (await runner.jobs()).every(({ metadata }) => metadata.labels["svc-agent/settled"] === "yes");

describeWithTools(clusterTools, "an agent whose jobs are in pods", () => {
  test("goes on with them after a kill, on another disk, and nothing is done twice", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { jobId, release } = await givenHeld(runner);
    first.kill("SIGKILL");
    await first.ended;
    const second = await runner.start();
    await until(() => second.said.log.some(({ msg }) => msg === "resuming a job"));
    await until(() => second.said.log.some(({ msg }) => msg === "agent started"));
    expect((await runner.job(jobId)).status).toBe("in-progress");
    await release();
    expect(await runner.ended(jobId)).toMatchObject({
      status: "finished",
      outputs: { released: "yes" },
    });
    const { executions } = await runner.job(jobId);
    expect(executions).toHaveLength(1);
    expect(runner.kubelet.begun).toHaveLength(1);
    await until(async () => await isSettled(runner));
    const registered = second.said.log.find(({ msg }) => msg === "registered");
    expect(registered?.["took_over"]).toMatch(/^prc_/);
  });

  test("is not needed for a job's end", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { jobId, release } = await givenHeld(runner);
    first.kill("SIGKILL");
    await first.ended;
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    await runner.start();
    await until(async () => await isSettled(runner));
    expect((await runner.job(jobId)).executions).toHaveLength(1);
  });

  test("judges after a kill what became of a pod meanwhile", async () => {
    const runner = await givenExecutor(fleet);
    const first = await runner.start();
    const { jobId } = await givenHeld(runner);
    first.kill("SIGKILL");
    await first.ended;
    const [running] = runner.kubelet.begun;
    if (running !== undefined) runner.kubelet.killForMemory(running);
    await runner.start();
    const { status, result } = await runner.ended(jobId);
    expect(status).toBe("failed");
    expect(result?.error_metadata["class"]).toBe("oom");
  });

  test("takes away what had not begun when it was killed, and the job is done by a later pod", async () => {
    const runner = await givenExecutor(fleet);
    // No right to make Secrets: the Job is there, and nothing lets it go.
    const role = (await runner.at.kubectl(["get", "role", "-o", "name"])).trim();
    const [rules, full] = [await runner.at.kubectl(["get", role, "-o", "json"]), "secrets"];
    const { rules: all } = JSON.parse(rules) as {
      rules: { resources: string[]; verbs: string[] }[];
    };
    const less = all.filter(
      ({ resources, verbs }) => resources[0] !== full || verbs[0] !== "create",
    );
    const patch = (to: object) => [
      "patch",
      role,
      "--type=merge",
      "-p",
      JSON.stringify({ rules: to }),
    ];
    const first = await runner.start();
    await until(() => first.said.log.some(({ msg }) => msg === "agent started"));
    await runner.at.kubectl(patch(less));
    const jobId = await runner.enqueue({ type: "noop-deploy" });
    await until(() =>
      first.said.log.some(({ msg }) => msg === "failed to create a job's Job in the cluster"),
    );
    await until(async () => (await runner.jobs()).length === 0);
    expect(runner.kubelet.begun).toEqual([]);
    await runner.at.kubectl(patch(all));
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect((await runner.job(jobId)).executions.at(-1)?.status).toBe("finished");
  });

  test("gives back at its start what a Job was made for and never let go", async () => {
    const runner = await givenExecutor(fleet);
    const execution = "exe_0123456789abcdefghjkmnpqrs";
    const labels = { "svc-agent/executor": "svc-agent", "svc-agent/execution": execution };
    const info = {
      job_id: "job_1",
      execution_id: execution,
      type: "noop-deploy",
      group: "deploy",
    };
    const annotations = { "svc-agent/job": JSON.stringify({ ...info, claimed_at_ms: 0 }) };
    const containers = [{ name: "job", image: "registry.example/none" }];
    const made = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "svc-agent-left", labels, annotations },
      spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers } } },
    };
    await runner.at.kubectl(["create", "-f", "-"], JSON.stringify(made));
    const agent = await runner.start();
    await until(async () => (await runner.jobs()).length === 0);
    expect(agent.said.log.map(({ msg }) => msg)).toContain(
      "giving back a job that had not started",
    );
    expect(agent.said.log.map(({ msg }) => msg)).not.toContain("resuming a job");
  });

  test("waits for its pods when an operator shuts it down", async () => {
    const runner = await givenExecutor(fleet);
    const agent = await runner.start();
    const { jobId, release } = await givenHeld(runner);
    await runner.operate(`POST /v1/runners/${runner.runnerId}/graceful-shutdown`);
    await until(() => agent.said.log.some(({ order }) => order !== undefined));
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect(await agent.ended).toBe(0);
  });

  test("leaves its pods to its next start, where it was told to", async () => {
    const runner = await givenExecutor(fleet);
    const settings = { "on-sigterm": "leave" };
    const first = await runner.start(settings);
    const { jobId, release } = await givenHeld(runner);
    first.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    expect((await runner.job(jobId)).status).toBe("in-progress");
    await runner.start(settings);
    await release();
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect(runner.kubelet.begun).toHaveLength(1);
    expect((await runner.job(jobId)).executions).toHaveLength(1);
  });
});
