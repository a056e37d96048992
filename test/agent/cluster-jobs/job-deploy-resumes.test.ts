import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import {
  clusterJobsOf,
  givenClusterJobs,
  goesOn,
} from "../../support/cluster/given-cluster-jobs.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, type Rule } from "../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const everything: readonly Rule[] = [{ verbs: ["*"], resources: ["*"], apiGroups: ["*"] }];

/** An agent that is killed while a request of its job is under way, which never comes to the cluster. */
async function givenKilledAt(request: string, job: object) {
  const { first, kill, ...killable } = await givenKillableAgent(fleet);
  const runner = await clusterJobsOf(killable);
  const { kubeconfig } = await givenAccount(runner.at, everything);
  const { proxy, kubeconfig: file } = await proxiedCluster(kubeconfig);
  const stuck = proxy.fail(request, "hang", 1);
  const cluster_info = { kube_config: await readFile(file, "utf8") };
  const id = await runner.enqueue(runner.draft({ cluster_info, ...job }));
  await until(() => stuck.hits() === 1);
  await kill(first);
  const names = async (): Promise<string[]> =>
    (await runner.at.kubectl(["get", "job", "-o", "name"])).split("\n").filter(Boolean);
  return { ...runner, id, names };
}

const removed = ["delete", "job", "--all", "--wait=true", "--timeout=100s"];

describeWithTools(clusterTools, "a job-deploy whose agent is killed", () => {
  test("before its Job has its Secret goes on with the same Job", async () => {
    const killed = await givenKilledAt("POST /secrets", { env_vars: { A: "b" } });
    const { id, at, again, ended, job, names, logOf } = killed;
    const made = await names();
    expect(made).toHaveLength(1);
    const suspended = ["get", "job", "-o", "jsonpath={.items[0].spec.suspend}"];
    expect(await at.kubectl(suspended)).toBe("true");
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { exit_code: 0 } });
    expect(await names()).toEqual(made);
    expect((await job(id)).executions).toHaveLength(1);
    expect((await logOf(id)).filter((line) => line.includes("was created"))).toHaveLength(1);
  });

  test("before its Job has its Secret takes it away, cancelled meanwhile", async () => {
    const killed = await givenKilledAt("POST /secrets", { env_vars: { A: "b" } });
    const { id, again, ended, operate, left } = killed;
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    await again();
    await expect.poll(left).toEqual([]);
    expect((await ended(id)).status).toBe("cancelled");
  });

  test("before it deletes its Job is told as it ended, although the Job is gone by then", async () => {
    const killed = await givenKilledAt("DELETE /jobs/", { keep: 0, env_vars: { A: "b" } });
    const { id, at, again, ended, job, names } = killed;
    await at.kubectl(removed);
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { exit_code: 0 } });
    expect((await job(id)).executions).toHaveLength(1);
    expect(await names()).toEqual([]);
  });

  test("before it gives its Job up is told so, although the Job is gone by then", async () => {
    const annotations = { "svc.test/pod": "no-image" };
    const killed = await givenKilledAt("DELETE /jobs/", { annotations });
    const { id, at, again, ended, names } = killed;
    await at.kubectl(removed);
    await again();
    const { status, result } = await ended(id);
    expect({ status, ...result?.error_metadata }).toMatchObject({
      status: "failed",
      class: "image_pull",
    });
    expect(await names()).toEqual([]);
  });

  test("and whose Job is not there any more says that its end is unknown", async () => {
    const { first, kill, ...killable } = await givenKillableAgent(fleet);
    const runner = await clusterJobsOf(killable);
    const id = await runner.enqueue(runner.draft(goesOn));
    await runner.running();
    await kill(first);
    await runner.at.kubectl(removed);
    await runner.again();
    const { description, result } = await runner.ended(id);
    expect(description).toMatch(/is gone: .*how it ended is unknown\.$/);
    expect(result?.error_metadata).toMatchObject({ class: "gone" });
    expect(await runner.left()).toEqual([]);
  });
});

describeWithTools(clusterTools, "a job-deploy", () => {
  test("gives its Job the time that is left after it was approved", async () => {
    const folder = await testFolder();
    const [program, approvedAt] = [path.join(folder, "approve"), path.join(folder, "approved-at")];
    const script = `#!/bin/sh\ncat >/dev/null; sleep 8; date +%s >${approvedAt}\n`;
    await writeFile(program, script, { mode: 0o755 });
    const { at, deploy, job } = await givenClusterJobs(fleet, { "require-approval": program });
    const { id, status } = await deploy({ env_vars: { A: "b" } });
    expect(status).toBe("finished");
    const [execution] = (await job(id)).executions as unknown as [{ deadline_at: string }];
    const approvedAtS = Number(await readFile(approvedAt, "utf8"));
    const leftS = Date.parse(execution.deadline_at) / 1000 - approvedAtS;
    const limit = "jsonpath={.items[0].spec.activeDeadlineSeconds}";
    const limitS = Number(await at.kubectl(["get", "job", "-o", limit]));
    // Its own clock has a minute more; whoever took the time before the eight seconds would be over this.
    expect(limitS).toBeLessThanOrEqual(leftS + 60 + 3);
  });

  test("that could not delete its half-made Job says so", async () => {
    const { at, deploy, logOf } = await givenClusterJobs(fleet);
    const jobs = { resources: ["jobs"], apiGroups: ["batch"] };
    const { kubeconfig } = await givenAccount(at, [{ verbs: ["create"], ...jobs }]);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const { id, result } = await deploy({ cluster_info, env_vars: { A: "b" } });
    expect(result?.error_metadata).toMatchObject({ class: "forbidden" });
    expect((await logOf(id)).join("\n")).toMatch(
      /may exist nevertheless \(.*cannot get resource "jobs".*\): delete it by hand/,
    );
    expect(await at.kubectl(["get", "job", "-o", "name"])).toMatch(/^job\.batch\/job-/);
  });
});
