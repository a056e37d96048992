import { readFile } from "node:fs/promises";
import { beforeAll, expect, test, vi } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };
const secondNs = 1e9;

vi.setConfig({ testTimeout: 200_000 });

describeWithTools([...clusterTools, "helm"], "a release", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test.each(["secret", "configmap"])(
    "kept as a %s is planned, installed, upgraded, rolled back when that fails, and uninstalled",
    async (storage_driver) => {
      const { release, at, logOf } = await releasesOf(
        await givenRunnerWithAgent(fleet, filesAllowed),
      );
      const helm = { source: { path: await givenChart() }, storage_driver };
      const read = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];

      const planned = plannedDiff(await release("create-apply-plan", helm));
      expect(planned.diff).toMatchObject({ op: "apply", counts: { create: 3 } });
      expect(await at.kubectl(["get", "deployments", "-o", "name"])).toBe("");
      const { apply_plan_contents } = planned;
      const outputs = { level: { kind: "ConfigMap", name: "app-config", path: "{.data.level}" } };
      const approved = { ...helm, outputs };
      const installed = await release("apply-plan", approved, { apply_plan_contents });
      expect(installed.description).toBe("app is installed: revision 1.");
      expect(installed.outputs).toMatchObject({
        level: "low",
        revision: 1,
        status: "deployed",
        notes: "Level low it is.\n",
        chart_version: "1.2.3",
        app_version: "7.0",
      });
      expect(await at.kubectl(["get", `${storage_driver}s`, "-o", "name"])).toContain(
        "sh.helm.release.v1.app.v1",
      );

      const values = [
        { name: "level", value: "7", type: "string" },
        { name: "list[1]", value: "b" },
      ];
      const stale = await release("apply-plan", { ...helm, values }, { apply_plan_contents });
      expect(stale.result?.error_metadata["class"]).toBe("plan_stale");
      const upgraded = await release("exec", { ...helm, values_files: ["high.yaml"], values });
      expect(upgraded.description).toBe("app is upgraded: revision 2.");
      expect(await at.kubectl(read)).toBe("7");

      const bad = {
        ...helm,
        values_override: "nowhere: true\nlevel: bad\n",
        timeout: 20 * secondNs,
      };
      const failed = await release("exec", bad);
      expect(failed.status).toBe("failed");
      expect(failed.result).toMatchObject({
        error_metadata: { class: "not_ready" },
        composite_error: { type: "deploy.not_ready", detail: failed.description, retryable: false },
      });
      expect(failed.description).toMatch(/app-web: .*fits on no node/);
      expect(failed.description).toContain("It was rolled back to revision 2.");
      expect((await logOf(failed.id)).join("\n")).toMatch(/app-web is not ready:/);
      expect(await at.kubectl(read)).toBe("7");

      const down = plannedDiff(await release("create-teardown-plan", helm));
      expect(down.diff).toMatchObject({ op: "teardown", counts: { delete: 3 } });
      const gone = await release("apply-plan", helm, {
        apply_plan_contents: down.apply_plan_contents,
      });
      expect(gone.description).toBe("app is uninstalled.");
      expect(await at.kubectl(["get", "deployments,secrets", "-o", "name"])).toBe("");
    },
  );

  test("that cannot be installed is taken away again", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() }, timeout: 15 * secondNs };
    const failed = await release("exec", { ...helm, values_override: "nowhere: true" });
    expect(failed.description).toContain("It was uninstalled again.");
    expect(await at.kubectl(["get", "deployments,secrets", "-o", "name"])).toBe("");
  });

  test("of a bad chart is one failed job that names the place", async () => {
    const { release } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const broken = await givenChart({ "broken.yaml": "a: {{ .Values.none.such }}\n" });
    const failed = await release("exec", { source: { path: broken } });
    expect(failed.description).toMatch(/cannot be rendered: .*broken\.yaml:1/);
    expect(failed.result?.error_metadata).toMatchObject({ class: "config_invalid" });
    const unknown = await givenChart({
      "unknown.yaml": "apiVersion: none.example/v1\nkind: Widget\nmetadata: {name: w}\n",
    });
    const refused = await release("exec", { source: { path: unknown } });
    expect(refused.description).toMatch(/Widget/);
    expect(refused.result?.error_metadata).toMatchObject({ class: "config_invalid" });
  });

  test("whose upgrade is refused before it begins is not rolled back: nothing was changed", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    expect((await release("exec", helm)).status).toBe("finished");
    // Helm may write no revision down.
    const { kubeconfig } = await givenAccount(at, [
      { verbs: ["get", "list", "watch"], resources: ["secrets"] },
      { verbs: ["*"], resources: ["configmaps"] },
      { verbs: ["*"], resources: ["deployments"], apiGroups: ["apps"] },
    ]);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const refused = await release("exec", { ...helm, cluster_info, values_files: ["high.yaml"] });
    expect(refused.result?.error_metadata["class"]).toBe("forbidden");
    expect(refused.description).toMatch(/cannot create resource "secrets".*Nothing was changed\./);
    const read = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
    expect(await at.kubectl(read)).toBe("low");
  });

  test("tells no value of a secret: not in the diff, the log, an output or an error", async () => {
    const { release, logOf } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    const values = [{ name: "password", value: "swordfish-of-the-plan", type: "string" }];
    const planned = await release("create-apply-plan", { ...helm, values });
    const { diff } = plannedDiff(planned);
    const installed = await release("exec", { ...helm, values });
    expect(installed.status).toBe("finished");
    const logs = await Promise.all([planned, installed].map(({ id }) => logOf(id)));
    expect(JSON.stringify([diff, planned, installed, logs])).not.toContain("swordfish");
    expect(JSON.stringify(diff)).toContain("(secret)");
  });

  test("whose record cannot be read is one failed job that names it", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    await release("exec", helm);
    const patch = JSON.stringify({ stringData: { release: "none" } });
    const name = "sh.helm.release.v1.app.v1";
    await at.kubectl(["patch", "secret", name, "--type=merge", "-p", patch]);
    const failed = await release("create-teardown-plan", helm);
    expect(failed.result?.error_metadata["class"]).toBe("config_invalid");
    expect(failed.description).toContain(`${name} is not a helm record`);
  });
});
