import { beforeAll, expect, test } from "vitest";
import { type HeldScript, heldScript } from "../../support/agent/held-script.ts";
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

/** A job whose script runs in its pod, and waits. */
async function givenHeld(runner: RunnerWithExecutor): Promise<HeldScript & { jobId: string }> {
  const held = heldScript(await testFolder(0o777));
  const before = runner.kubelet.begun.length;
  const jobId = await runner.enqueue(held.job);
  await until(() => runner.kubelet.begun[before]?.printed().includes("waiting") === true);
  return { ...held, jobId };
}

const action = {
  type: "actions-workflow" as const,
  plan: JSON.stringify({ steps: [{ name: "only", interpolated_inline_contents: "true" }] }),
};
const pod = (annotation: string, spec: object = {}) => ({
  metadata: { annotations: { "svc.test/pod": annotation } },
  spec,
});

describeWithTools(clusterTools, "a pod's end", () => {
  test("comes by a cancel, in order, and frees its slot", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start({ groups: "actions=1" });
    const { jobId } = await givenHeld(runner);
    await runner.operate(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect((await runner.ended(jobId)).status).toBe("cancelled");
    const [first] = runner.kubelet.begun;
    await until(() => first?.child.exitCode === 130);
    await until(async () => (await runner.jobs()).length === 0);
    expect((await runner.run(action)).status).toBe("finished");
  });

  test("is told by who deletes it, when it gets the time", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const { jobId } = await givenHeld(runner);
    await runner.at.kubectl(["delete", "pods", "--all", "--wait=false"]);
    const { result } = await runner.ended(jobId);
    expect(result?.error_metadata).toMatchObject({ reason: "agent_stop" });
  });

  test("is reported for it when the pod ends without a result", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const { jobId } = await givenHeld(runner);
    runner.kubelet.begun[0]?.child.kill("SIGKILL");
    const { status, description, result } = await runner.ended(jobId);
    expect(status).toBe("failed");
    expect(description).toContain("container job ended with code 137");
    expect(result?.error_metadata).toMatchObject({ reason: "pod_failed", class: "exit_code" });
  });

  test("is told as one for want of memory", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const { jobId } = await givenHeld(runner);
    const [running] = runner.kubelet.begun;
    if (running !== undefined) runner.kubelet.killForMemory(running);
    const { status, description, result } = await runner.ended(jobId);
    expect(status).toBe("failed");
    expect(description).toContain("OOMKilled");
    expect(result?.error_metadata).toMatchObject({ reason: "oom", class: "oom" });
  });

  test("is told before its beginning, where its image cannot be had", async () => {
    const runner = await givenExecutor(fleet, pod("no-image"));
    const agent = await runner.start();
    const { status, description, result } = await runner.run(action);
    expect(status).toBe("failed");
    expect(description).toContain("ImagePullBackOff");
    expect(result?.error_metadata).toMatchObject({ class: "image_pull" });
    await until(() => agent.said.log.some(({ why }) => /pods cannot start/.test(String(why))));
    await until(async () => (await runner.jobs()).length === 0);
  });

  test("is told when no node has taken it in time", async () => {
    const runner = await givenExecutor(fleet, pod("real", { nodeSelector: { none: "such" } }));
    await runner.start({ "executor-start-timeout": "3s" });
    const { status, description, result } = await runner.run(action);
    expect(status).toBe("failed");
    expect(description).toMatch(/did not start within 3s: it fits on no node/);
    expect(result?.error_metadata).toMatchObject({ class: "unschedulable" });
  });

  test.each<[what: string, object: object, words: RegExp]>([
    ["a quota", { kind: "ResourceQuota", spec: { hard: { pods: "0" } } }, /exceeded quota/],
    [
      "a quota of Jobs",
      { kind: "ResourceQuota", spec: { hard: { "count/jobs.batch": "0" } } },
      /exceeded quota/,
    ],
    [
      "a limit range",
      { kind: "LimitRange", spec: { limits: [{ type: "Container", min: { memory: "64Gi" } }] } },
      /minimum memory usage/,
    ],
  ])("is none while %s has no room for it: the job waits, and why is said", async (...given) => {
    const [, object, words] = given;
    const runner = await givenExecutor(fleet, pod("real", { containers: [withLimits] }));
    const made = { apiVersion: "v1", metadata: { name: "room" }, ...object };
    const { kind } = made as unknown as { kind: string };
    await runner.at.kubectl(["create", "-f", "-"], JSON.stringify(made));
    const agent = await runner.start();
    const jobId = await runner.enqueue(action);
    const said = (): string => JSON.stringify(agent.said.log.map(({ why }) => why));
    await until(() => /has no room for a pod/.test(said()));
    expect(said()).toMatch(words);
    expect(["available", "queued"]).toContain((await runner.job(jobId)).status);
    await runner.at.kubectl(["delete", kind, "room"]);
    expect((await runner.ended(jobId)).status).toBe("finished");
    expect(runner.kubelet.begun).toHaveLength(1);
  });
});

describeWithTools(clusterTools, "a quota that another pod uses up", () => {
  test("keeps the agent from asking for the next job again and again", async () => {
    const runner = await givenExecutor(fleet, pod("real", { containers: [withLimits] }));
    const quota = { kind: "ResourceQuota", spec: { hard: { pods: "1" } } };
    const made = { apiVersion: "v1", metadata: { name: "room" }, ...quota };
    await runner.at.kubectl(["create", "-f", "-"], JSON.stringify(made));
    const agent = await runner.start();
    const { release } = await givenHeld(runner);
    const second = await runner.enqueue(action);
    const claims = () =>
      agent.said.log.filter(({ job_id, msg }) => job_id === second && msg === "claimed");
    await until(() => claims().length === 2);
    const [first, again] = claims().map(({ time }) => Date.parse(String(time)));
    expect((again ?? 0) - (first ?? 0)).toBeGreaterThan(9_000);
    await release();
    expect((await runner.ended(second)).status).toBe("finished");
  });
});

const withLimits = {
  name: "job",
  resources: { requests: { memory: "64Mi", cpu: "10m" }, limits: { memory: "128Mi", cpu: "1" } },
};
