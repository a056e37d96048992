import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import {
  configMap,
  deployment,
  givenManifests,
  manifestOf,
  plannedDiff,
} from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

/** Nobody has such a node. */
const nowhere = { nodeSelector: { none: "such" } };

describeWithTools(clusterTools, "applying a manifest", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  describe("an approved plan", () => {
    test("is refused as stale when the cluster or the manifest has changed since", async () => {
      const { deploy, names, at } = await givenManifests(fleet);
      const manifest = configMap("a", { k: "1" });
      const { apply_plan_contents } = plannedDiff(await deploy("create-apply-plan", { manifest }));
      const other = { manifest: configMap("a", { k: "2" }) };
      const changed = await deploy("apply-plan", other, { apply_plan_contents });
      expect(changed.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      expect(await names("configmap")).toEqual([]);
      await at.kubectl(["create", "configmap", "a", "--from-literal=k=3"]);
      const moved = await deploy("apply-plan", { manifest }, { apply_plan_contents });
      expect(moved.result?.error_metadata["class"]).toBe("plan_stale");
      expect(moved.description).toContain("Make a new plan.");
    });

    test("that is none is refused", async () => {
      const { deploy } = await givenManifests(fleet);
      const manifest = configMap("a", {});
      for (const contents of ["", "bm9uc2Vuc2U=", Buffer.from("{}").toString("base64")]) {
        const ended = await deploy("apply-plan", { manifest }, { apply_plan_contents: contents });
        expect(ended.result?.error_metadata["reason"]).toBe("plan_invalid");
        expect(ended.description).toContain("apply_plan_contents");
      }
    });
  });

  test("names who manages a field, and takes it over only when the plan says so", async () => {
    const { deploy, at } = await givenManifests(fleet);
    const theirs = configMap("shared", { k: "theirs" });
    await at.kubectl(["apply", "--server-side", "--field-manager=other-tool", "-f", "-"], theirs);
    const manifest = configMap("shared", { k: "ours" });
    const planned = plannedDiff(await deploy("create-apply-plan", { manifest }));
    expect(planned.diff.content_diff).toMatchObject([
      { action: "conflict", conflicts: [{ manager: "other-tool", field: "data.k" }] },
    ]);
    const refused = await deploy("exec", { manifest });
    expect(refused.result?.error_metadata["class"]).toBe("conflict");
    expect(refused.description).toContain("data.k is managed by other-tool");
    const forced = await deploy("exec", { manifest, force_conflicts: true });
    expect(forced.description).toBe("1 updated.");
    const read = ["get", "configmap", "shared", "-o", "jsonpath={.data.k}"];
    expect(await at.kubectl(read)).toBe("ours");
  });

  test("brings kinds and namespaces before what needs them", async () => {
    const { deploy, at, names } = await givenManifests(fleet);
    const [group, kind] = [`g${at.name.slice(5)}.example`, "Widget"];
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural: "widgets", singular: "widget", listKind: "WidgetList" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    };
    const inner = `${at.name}-inner`;
    const widget = {
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name: "w", namespace: inner },
      spec: { any: 1 },
    };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: inner } };
    const manifest = manifestOf(...[widget, crd, namespace].map((one) => JSON.stringify(one)));
    const planned = plannedDiff(await deploy("create-apply-plan", { manifest }));
    expect(planned.diff.counts).toMatchObject({ create: 3 });
    expect((await deploy("exec", { manifest })).description).toBe("3 created.");
    const second = await deploy("exec", { manifest });
    expect(second.outputs).toMatchObject({ unchanged: 3 });

    // What holds others goes only when it is named.
    const rest = { manifest: configMap("rest", {}) };
    const kept = plannedDiff(await deploy("create-apply-plan", rest));
    expect(kept.diff.counts).toMatchObject({ create: 1, delete: 1, keep: 2 });
    const delete_kinds = ["Namespace", "CustomResourceDefinition"];
    const all = plannedDiff(await deploy("create-teardown-plan", { manifest: "", delete_kinds }));
    expect(all.diff.counts).toMatchObject({ delete: 3, keep: 0 });
    const { apply_plan_contents } = all;
    const gone = await deploy("apply-plan", { ...rest, delete_kinds }, { apply_plan_contents });
    expect(gone.description).toBe("3 deleted.");
    expect(await names(`namespace/${inner}`).catch((error: Error) => error.message)).toContain(
      "not found",
    );
  });

  test("deletes only what it made itself, and what nobody protects", async () => {
    const { deploy, at, names } = await givenManifests(fleet);
    const annotated = { name: "guarded", annotations: { "svc/prune": "disabled" } };
    const guarded = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: annotated });
    await deploy("exec", {
      manifest: manifestOf(guarded, configMap("made-anew", {}), configMap("a", {})),
    });
    await at.kubectl(["delete", "configmap", "made-anew"]);
    await at.kubectl(["create", "configmap", "made-anew", "--from-literal=k=theirs"]);
    const ended = await deploy("exec", { manifest: configMap("a", { k: "2" }) });
    expect(ended.outputs).toMatchObject({ updated: 1, deleted: 0, kept: 2 });
    expect(await names("configmap")).toEqual(["a", "guarded", "made-anew"]);
  });

  test("tells no value of a secret: not in the diff, the log, an output or an error", async () => {
    const { deploy, logOf } = await givenManifests(fleet);
    const secret = (value: string, more = {}) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s" },
        stringData: { key: value },
        ...more,
      });
    const values = ["swordfish-one-1", "swordfish-two-2"];
    await deploy("exec", { manifest: secret(values[0] ?? "") });
    const planned = await deploy("create-apply-plan", { manifest: secret(values[1] ?? "") });
    const { diff } = plannedDiff(planned);
    expect(diff.plan).toContain('data.key: "(secret)" -> "(another secret)"');
    const wrong = secret(values[1] ?? "", { data: { other: "swordfish-two-2 is no base64" } });
    const failed = await deploy("exec", { manifest: wrong });
    expect(failed.status).toBe("failed");
    const said = [planned, failed].map((one) => JSON.stringify(one)).join();
    const logs = await Promise.all([planned, failed].map(({ id }) => logOf(id)));
    for (const text of [said, JSON.stringify(diff), JSON.stringify(logs)]) {
      expect(text).not.toContain("swordfish");
      expect(text).not.toContain(Buffer.from("swordfish-two").toString("base64").slice(0, 14));
    }
  });

  test("stops early where pods can never run, and says why", async () => {
    const { deploy, draft, at, enqueue, ended } = await givenManifests(fleet);
    const quota = ["create", "quota", "none", "--hard=pods=0"];
    await at.kubectl(quota);
    const over = await deploy("exec", { manifest: deployment("web") });
    expect(over.result?.error_metadata["class"]).toBe("not_ready");
    expect(over.description).toMatch(/Deployment .*web does not become ready: .*exceeded quota/);
    await at.kubectl(["delete", "quota", "none"]);

    const id = await enqueue(draft("exec", { manifest: deployment("pulled", nowhere) }));
    const pod = async (): Promise<string> =>
      await at.kubectl(["get", "pods", "-l", "app=pulled", "-o", "name"]);
    await expect.poll(pod).toContain("pod/");
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const container = { name: "main", ready: false, restartCount: 0, image: "x", imageID: "" };
    const status = { containerStatuses: [{ ...container, state: { waiting } }] };
    const patch = JSON.stringify({ status });
    await at.kubectl([
      "patch",
      (await pod()).trim(),
      "--subresource=status",
      "--type=merge",
      "-p",
      patch,
    ]);
    const pulled = await ended(id);
    expect(pulled.description).toMatch(
      /pulled-.*: container main: ImagePullBackOff \(no such image\)/,
    );
  });

  test("says how far it came when it is cancelled", async () => {
    const { draft, at, enqueue, ended, operate, logOf } = await givenManifests(fleet);
    const manifest = manifestOf(deployment("web", nowhere), configMap("a", {}));
    const id = await enqueue(draft("exec", { manifest }));
    const isThere = async (): Promise<string> =>
      await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(isThere).toContain("web");
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    const cancelled = await ended(id);
    expect(cancelled.status).toBe("cancelled");
    const log = async (): Promise<string> => (await logOf(id)).join("\n");
    await expect.poll(log).toMatch(/(?:\d of|all) 2 objects were applied/);
  });

  test("is told who may do what, where the cluster says no", async () => {
    const { run, draft, at } = await givenManifests(fleet);
    const may = [{ verbs: ["get", "list", "patch", "create"], resources: ["configmaps"] }];
    const { kubeconfig } = await givenAccount(at, may);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const good = await run(draft("exec", { cluster_info, manifest: configMap("a", {}) }));
    expect(good.description).toBe("1 created.");
    const bad = await run(draft("exec", { cluster_info, manifest: deployment("web") }));
    expect(bad.result?.error_metadata["class"]).toBe("forbidden");
    expect(bad.description).toMatch(
      /Deployment \S*\/web: .*cannot (?:get|patch) resource "deployments"/,
    );
    const wrong = JSON.parse(cluster_info.kube_config) as { users: { user: object }[] };
    for (const entry of wrong.users) entry.user = { token: "none-of-theirs-at-all" };
    const kube_config = JSON.stringify(wrong);
    const who = { cluster_info: { kube_config }, manifest: configMap("a", {}) };
    const nobody = await run(draft("exec", who));
    expect(nobody.result?.error_metadata["class"]).toBe("auth");
    expect(JSON.stringify(nobody)).not.toContain("none-of-theirs");
  });
});
