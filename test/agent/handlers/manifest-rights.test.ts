import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import { configMap, givenManifests, manifestOf } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

describeWithTools(clusterTools, "a manifest of who may not list its kinds", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("is applied all the same: its objects are asked for one by one", async () => {
    const { run, draft, at } = await givenManifests(fleet);
    const may = [{ verbs: ["get", "patch", "create"], resources: ["configmaps"] }];
    const { kubeconfig } = await givenAccount(at, may);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const many = Array.from({ length: 9 }, (_, nth) => configMap(`one-${nth}`, {}));
    const manifest = manifestOf(...many);
    const made = await run(draft("exec", { cluster_info, manifest }));
    expect(made.description).toBe("9 created.");
    const again = await run(draft("exec", { cluster_info, manifest }));
    expect(again.description).toBe("9 unchanged.");
  });
});
