import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterJobsOf, goesOn } from "../../support/cluster/given-cluster-jobs.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenPodLogs } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

describeWithTools(clusterTools, "an agent that is killed while its Job runs", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("is followed by one that goes on with the same Job, each line once", async () => {
    const { first, kill, again, ...runner } = await givenKillableAgent(fleet);
    const { at, draft, enqueue, ended, job, logOf, running } = await clusterJobsOf(runner);
    const lines = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, nth) => `line ${from + nth} of many, it says.`);
    await givenPodLogs(at, lines(0, 200));
    const id = await enqueue(draft({ ...goesOn, env_vars: { TOKEN: "a-token-of-theirs" } }));
    const pod = await running();
    const printed = async (): Promise<string[]> =>
      (await logOf(id)).filter((line) => line.startsWith("line "));
    await expect.poll(async () => (await printed()).length).toBe(200);
    await kill(first);
    // It prints on while nobody listens.
    const file = path.join(path.dirname(at.kubeconfig), "pods.log");
    const later = lines(200, 300).map((line) => `${new Date().toISOString()} stdout F ${line}\n`);
    await writeFile(file, (await readFile(file, "utf8")) + later.join(""));
    const second = await again();
    await expect.poll(async () => (await printed()).length).toBe(300);
    await kill(second);
    await at.kubectl(["annotate", "pod", pod, "svc.test/pod-"]);
    const over = ["wait", "--for=condition=Complete", "job", "--all", "--timeout=100s"];
    await at.kubectl(over);
    await again();
    const end = await ended(id);
    expect(end).toMatchObject({ status: "finished", outputs: { pod, exit_code: 0 } });
    expect((await job(id)).executions).toHaveLength(1);
    const jobs = await at.kubectl(["get", "job,pod", "-o", "name"]);
    expect(jobs.trim().split("\n")).toHaveLength(2);
    expect(await printed()).toEqual(lines(0, 300));
    expect((await logOf(id)).filter((line) => line.includes("was created"))).toHaveLength(1);
  });

  test("is followed by one that ends a Job that was cancelled meanwhile", async () => {
    const { first, kill, again, ...runner } = await givenKillableAgent(fleet);
    const { draft, enqueue, ended, operate, running, left } = await clusterJobsOf(runner);
    const id = await enqueue(draft({ ...goesOn, env_vars: { A: "b" } }));
    await running();
    await kill(first);
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    await again();
    await expect.poll(left).toEqual([]);
    expect((await ended(id)).status).toBe("cancelled");
  });
});
