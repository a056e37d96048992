import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import {
  configMap,
  deployment,
  deploysOf,
  manifestOf,
  plannedDiff,
} from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

describeWithTools(clusterTools, "an agent that is killed", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("while it applies, waits or deletes is followed by one that comes to the same end", async () => {
    const { first, kill, again, ...runner } = await givenKillableAgent(fleet);
    const { deploy, draft, names, at, enqueue, ended, job, logOf } = await deploysOf(runner);
    const old = { apiVersion: "v1", kind: "ConfigMap" };
    const metadata = { name: "old", finalizers: ["svc.test/held"] };
    await deploy("exec", { manifest: JSON.stringify({ ...old, metadata }) });
    const many = Array.from({ length: 150 }, (_, nth) => configMap(`many-${nth}`, {}));
    const manifest = manifestOf(...many, deployment("web", { nodeSelector: { none: "such" } }));
    const planned = plannedDiff(await deploy("create-apply-plan", { manifest }));
    expect(planned.diff.counts).toMatchObject({ create: 151, delete: 1 });
    const { apply_plan_contents } = planned;
    const id = await enqueue(draft("apply-plan", { manifest }, { apply_plan_contents }));

    const count = async (): Promise<number> => (await names("configmap")).length;
    await expect.poll(count).toBeGreaterThan(1);
    await kill(first); // while it applies
    const second = await again();
    const isGoing = async (): Promise<string> =>
      await at.kubectl(["get", "configmap", "old", "-o", "jsonpath={.metadata.deletionTimestamp}"]);
    await expect.poll(isGoing).not.toBe("");
    await kill(second); // while it deletes
    const third = await again();
    const release = ["patch", "configmap", "old", "--type=json", "-p"];
    const patch = [{ op: "remove", path: "/metadata/finalizers" }];
    await at.kubectl([...release, JSON.stringify(patch)]);
    const entries = async (): Promise<string> =>
      await at.kubectl(["get", "configmap", "-o", "json"]);
    await expect.poll(entries).not.toContain('\\"name\\":\\"old\\"');
    const waits = async (): Promise<number> =>
      (await logOf(id)).filter((line) => line.startsWith("Waiting for Deployment")).length;
    await expect.poll(waits).toBeGreaterThan(0);
    const before = await waits();
    await kill(third); // while it waits
    await again();
    await expect.poll(waits).toBeGreaterThan(before);
    expect((await job(id)).status).toBe("in-progress");
    const anywhere = [{ op: "remove", path: "/spec/template/spec/nodeSelector" }];
    const change = ["patch", "deployment", "web", "--type=json", "-p", JSON.stringify(anywhere)];
    await at.kubectl(change);
    const end = await ended(id);
    expect(end.description).toBe("151 created, 1 deleted.");
    expect(end.status).toBe("finished");
    expect((await job(id)).executions).toHaveLength(1);
    expect(await count()).toBe(150);
  });

  test("half-way is followed by one that does not apply what was not approved over what others did", async () => {
    const { first, kill, again, ...runner } = await givenKillableAgent(fleet);
    const { deploy, draft, at, enqueue, ended, job } = await deploysOf(runner);
    const { kubeconfig, proxy } = await proxiedCluster(at.kubeconfig);
    for (const name of ["a", "b"]) {
      await at.kubectl(["create", "configmap", name, "--from-literal=level=1"]);
    }
    const given = {
      cluster_info: { kube_config: await readFile(kubeconfig, "utf8") },
      force_conflicts: true,
      manifest: manifestOf(configMap("a", { level: "2" }), configMap("b", { level: "2" })),
    };
    const { apply_plan_contents } = plannedDiff(await deploy("create-apply-plan", given));
    const isApplyOfB = ({ method, path: asked }: { method: string; path: string }): boolean =>
      method === "PATCH" && asked.includes("/configmaps/b?") && !asked.includes("dryRun");
    const stuck = proxy.fail(isApplyOfB, "hang");
    const id = await enqueue(draft("apply-plan", given, { apply_plan_contents }));
    const levels = async (): Promise<string> =>
      await at.kubectl(["get", "configmap", "a", "b", "-o", "jsonpath={.items[*].data.level}"]);
    await expect.poll(levels).toBe("2 1");
    await expect.poll(() => stuck.hits()).toBeGreaterThan(0);
    await kill(first); // between the two
    stuck.mend();
    const theirs = ["patch", "configmap", "b", "--type=merge", "-p", '{"data":{"level":"3"}}'];
    await at.kubectl(theirs);
    await again();
    const refused = await ended(id);
    expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
    expect(refused.description).toMatch(/ConfigMap \S+\/b changed while no agent was running/);
    expect(refused.description).toContain("Make a new plan");
    expect(await levels()).toBe("2 3");
    expect((await job(id)).executions).toHaveLength(1);
  });
});
