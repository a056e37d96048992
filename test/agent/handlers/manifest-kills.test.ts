import { beforeAll, expect, test } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
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
    const { first, kill, again, ...seat } = await givenKillableAgent(fleet);
    const { deploy, draft, names, at, enqueue, ended, job, logOf } = await deploysOf(seat);
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
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(1);
    await kill(first); // while it applies
    const second = await again();
    const isGoing = async (): Promise<string> =>
      await at.kubectl(["get", "configmap", "old", "-o", "jsonpath={.metadata.deletionTimestamp}"]);
    await expect.poll(isGoing, { timeout: 60_000 }).not.toBe("");
    await kill(second); // while it deletes
    const third = await again();
    const release = ["patch", "configmap", "old", "--type=json", "-p"];
    const patch = [{ op: "remove", path: "/metadata/finalizers" }];
    await at.kubectl([...release, JSON.stringify(patch)]);
    const entries = async (): Promise<string> =>
      await at.kubectl(["get", "configmap", "-o", "json"]);
    await expect.poll(entries, { timeout: 60_000 }).not.toContain('\\"name\\":\\"old\\"');
    const waits = async (): Promise<number> =>
      (await logOf(id)).filter((line) => line.startsWith("Waiting for Deployment")).length;
    await expect.poll(waits, { timeout: 60_000 }).toBeGreaterThan(0);
    const before = await waits();
    await kill(third); // while it waits
    await again();
    await expect.poll(waits, { timeout: 60_000 }).toBeGreaterThan(before);
    expect((await job(id)).status).toBe("in-progress");
    const anywhere = [{ op: "remove", path: "/spec/template/spec/nodeSelector" }];
    const change = ["patch", "deployment", "web", "--type=json", "-p", JSON.stringify(anywhere)];
    await at.kubectl(change);
    const end = await ended(id);
    expect(end.description).toBe("151 created, 1 deleted.");
    expect(end.status).toBe("finished");
    expect((await job(id)).executions).toHaveLength(1);
    expect(await count()).toBe(150);
  }, 240_000);
});
