import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import {
  configMap,
  deployment,
  givenManifests,
  manifestOf,
  plannedDiff,
} from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

describeWithTools(clusterTools, "manifests", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("are planned, applied as approved, changed, pruned and torn down", async () => {
    const { deploy, names, at } = await givenManifests(fleet);
    const first = manifestOf(
      deployment("web"),
      configMap("settings", { level: "1" }),
      configMap("old", { a: "b" }),
    );
    const planned = plannedDiff(await deploy("create-apply-plan", { manifest: first }));
    expect(planned.diff).toMatchObject({ op: "apply", counts: { create: 3, update: 0 } });
    expect(await names("configmap")).toEqual([]);

    const { apply_plan_contents } = planned;
    const applied = await deploy("apply-plan", { manifest: first }, { apply_plan_contents });
    expect(applied.description).toBe("3 created.");
    expect(await names("configmap")).toEqual(["old", "settings"]);
    const available = ["get", "deployment", "web", "-o", "jsonpath={.status.availableReplicas}"];
    expect(await at.kubectl(available)).toBe("1");

    const second = manifestOf(deployment("web"), configMap("settings", { level: "2" }));
    const again = plannedDiff(await deploy("create-apply-plan", { manifest: second }));
    expect(again.diff.counts).toMatchObject({ update: 1, unchanged: 1, delete: 1 });
    expect(again.diff.plan).toContain('data.level: "1" -> "2"');
    const changed = await deploy("exec", { manifest: second });
    expect(changed.outputs).toMatchObject({ updated: 1, unchanged: 1, deleted: 1 });
    expect(await names("configmap")).toEqual(["settings"]);

    const down = plannedDiff(await deploy("create-teardown-plan", { manifest: second }));
    expect(down.diff).toMatchObject({ op: "teardown", counts: { delete: 2 } });
    const gone = await deploy(
      "apply-plan",
      { manifest: second },
      { apply_plan_contents: down.apply_plan_contents },
    );
    expect(gone.description).toBe("2 deleted.");
    expect([...(await names("configmap")), ...(await names("deployment"))]).toEqual([]);
    expect(await at.kubectl(["get", "configmap", "-o", "name"])).not.toContain("svc-inventory");
  });
});
