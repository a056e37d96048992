import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount } from "../../support/cluster/given-namespace.ts";
import { givenChartRepository } from "../../support/helm/given-chart-repository.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };

vi.setConfig({ testTimeout: 400_000 });

describeWithTools([...clusterTools, "helm", "registry"], "a chart", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("is one of a git repository, with the chart beside it that it depends on, and without its kinds where the plan says so", async () => {
    const { folder, git } = await givenRepository();
    const kind = `Gadget${Date.now()}`;
    const group = `${kind.toLowerCase()}.example`;
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural: "gadgets" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object" } },
          },
        ],
      },
    };
    await cp(await givenChart(), path.join(folder, "inner"), { recursive: true });
    await mkdir(path.join(folder, "outer", "crds"), { recursive: true });
    await writeFile(path.join(folder, "outer", "crds", "gadget.json"), JSON.stringify(crd));
    await writeFile(
      path.join(folder, "outer", "Chart.yaml"),
      "apiVersion: v2\nname: outer\nversion: 2.0.0\ndependencies:\n- {name: small, version: 1.2.3, repository: 'file://../inner'}\n",
    );
    await git("add", ".");
    await git("commit", "-q", "-m", "charts");
    const commit = await git("rev-parse", "HEAD");
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { git: { url: `file://${folder}`, path: "outer" } } };
    const isThere = async (): Promise<string> =>
      await at.kubectl(["get", "crds", `gadgets.${group}`, "-o", "name", "--ignore-not-found"]);
    const without = await release("exec", { ...helm, skip_crds: true });
    expect(without.description).toBe("app is installed: revision 1.");
    expect(without.outputs).toMatchObject({ chart_digest: commit, chart_version: "2.0.0" });
    expect(await at.kubectl(["get", "configmaps", "-o", "name"])).toContain("app-config");
    expect(await isThere()).toBe("");
    const second = await release("exec", { ...helm, name: "second" });
    expect(second.description).toBe("second is installed: revision 1.");
    expect(await isThere()).toContain("gadgets");
    await at.kubectl(["delete", "crd", `gadgets.${group}`]);
  });

  test("is one of a repository of charts, also what it depends on, and nobody's whom that does not know", async () => {
    const url = await givenChartRepository("who:open-sesame");
    const { release, logOf } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const chart = { repository: url, name: "small", version: "1.2.3", username: "who" };
    const let_in = { chart: { ...chart, password: "open-sesame" } };
    const planned = await release("create-apply-plan", let_in);
    expect(plannedDiff(planned).diff.counts).toMatchObject({ create: 3 });
    const refused = await release("create-apply-plan", {
      chart: { ...chart, password: "swordfish-9" },
    });
    expect(refused.result?.error_metadata["class"]).toBe("auth");
    expect(JSON.stringify([refused, await logOf(refused.id)])).not.toContain("swordfish-9");
    const absent = await release("create-apply-plan", {
      chart: { ...let_in.chart, name: "large" },
    });
    expect(absent.result?.error_metadata["class"]).toBe("not_found");

    const open = await givenChartRepository();
    const outer = await testFolder();
    const named = "apiVersion: v2\nname: outer\nversion: 2.0.0\n";
    const needs = `dependencies:\n- {name: small, version: 1.2.3, repository: '${open}'}\n`;
    await writeFile(path.join(outer, "Chart.yaml"), `${named}${needs}`);
    await runTool("helm", ["dependency", "update", outer]);
    const lock = await readFile(path.join(outer, "Chart.lock"), "utf8");
    const fresh = await testFolder();
    await writeFile(path.join(fresh, "Chart.yaml"), `${named}${needs}`);
    const source = { path: fresh };
    expect(plannedDiff(await release("create-apply-plan", { source })).diff.counts).toMatchObject({
      create: 3,
    });
    await writeFile(path.join(fresh, "Chart.lock"), lock);
    expect(plannedDiff(await release("create-apply-plan", { source })).diff.counts).toMatchObject({
      create: 3,
    });
  });

  test("is an artifact of a registry, and nobody's whom that does not know", async () => {
    const { host, login } = await startRegistry({ asks: true });
    const { user: username, password } = login ?? { user: "", password: "" };
    const folder = await testFolder();
    const env = { HELM_REGISTRY_CONFIG: path.join(folder, "login.json") };
    await runTool("helm", ["package", await givenChart(), "--destination", folder]);
    const enter = ["registry", "login", host, "--plain-http", "-u", username, "--password-stdin"];
    await runTool("helm", enter, { env, input: password });
    const pushed = ["push", path.join(folder, "small-1.2.3.tgz"), `oci://${host}/charts`];
    await runTool("helm", [...pushed, "--plain-http"], { env });
    const { release } = await releasesOf(await givenRunnerWithAgent(fleet));
    const oci = { url: `oci://${host}/charts/small`, tag: "1.2.3" };
    const source = { oci: { ...oci, auth: { username, password } } };
    const installed = await release("exec", { source });
    expect(installed.description).toBe("app is installed: revision 1.");
    expect(installed.outputs["chart_digest"]).toMatch(/^sha256:[0-9a-f]{64}$/);
    const refused = await release("exec", { source: { oci } });
    expect(refused.result?.error_metadata["class"]).toBe("auth");
  });

  test("takes over what is there already where the plan says so, and else names it", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const helm = { source: { path: await givenChart() } };
    await at.kubectl(["create", "configmap", "app-config", "--from-literal=level=theirs"]);
    const refused = await release("exec", helm);
    expect(refused.result?.error_metadata["class"]).toBe("conflict");
    expect(refused.description).toContain("app-config");
    const taken = await release("exec", { ...helm, take_ownership: true, force_conflicts: true });
    expect(taken.description).toBe("app is installed: revision 1.");
    const read = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
    expect(await at.kubectl(read)).toBe("low");
  });

  test("goes into a namespace that is made for it where the plan says so, and into none that is not there", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const namespace = `${at.name}-new`;
    const helm = { source: { path: await givenChart() }, namespace };
    const refused = await release("exec", helm);
    expect(refused.status).toBe("failed");
    expect(refused.description).toContain(namespace);
    expect(refused.result?.error_metadata["class"]).toBe("not_found");
    const made = await release("exec", { ...helm, create_namespace: true });
    expect(made.description).toBe("app is installed: revision 1.");
    await at.kubectl(["delete", "namespace", namespace, "--wait=false"]);
  });

  test("is told who may not do what, and has left nothing", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const all = ["get", "list", "watch", "create", "patch", "update", "delete"];
    const { kubeconfig } = await givenAccount(at, [
      { verbs: all, resources: ["secrets", "configmaps"] },
      {
        verbs: ["get", "list", "watch", "delete"],
        resources: ["deployments"],
        apiGroups: ["apps"],
      },
    ]);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const helm = { source: { path: await givenChart() }, cluster_info };
    const refused = await release("exec", helm);
    expect(refused.result?.error_metadata["class"]).toBe("forbidden");
    expect(refused.description).toMatch(/deployments\.apps.* is forbidden/);
    expect(await at.kubectl(["get", "deployments,secrets", "-o", "name"])).toBe("");
  });

  test("of the kind runner-helm is the plan itself, and so is the broker's chart for its releases", async () => {
    const runner = await givenRunnerWithAgent(fleet, filesAllowed);
    const { at, run } = await releasesOf(runner);
    const { id: helm_chart_id } = await runner.operate("POST /v1/helm-charts");
    const cluster_info = { kube_config: await readFile(at.kubeconfig, "utf8") };
    const body = { name: "app", namespace: at.name, source: { path: await givenChart() } };
    const plan = JSON.stringify({ ...body, cluster_info, helm_chart_id });
    const ended = await run({ type: "runner-helm", operation: "exec", plan });
    expect(ended.description).toBe("app is installed: revision 1.");
    expect(await at.kubectl(["get", "secrets", "-o", "name"])).toBe("secret/app-secret\n");
  });
});
