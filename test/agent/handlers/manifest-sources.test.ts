import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
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
import { testFolder } from "../../support/run/folder.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";
import { findTool, tool } from "../../tools/find-tool.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };
const run = promisify(execFile);

/** Agents of these tests find these programs and no others of the tools. */
const foldersOf = (programs: readonly string[]): string[] =>
  programs.flatMap((name) => findTool(name) ?? []).map((file) => path.dirname(file));

describeWithTools(
  [...clusterTools, "kustomize", "helm", "registry", "oras"],
  "a manifest's source",
  () => {
    beforeAll(async () => {
      const places = [...foldersOf(["kustomize", "helm"]), process.env["PATH"]];
      vi.stubEnv("PATH", places.join(":"));
      fleet = await givenFleet();
    });

    describe("is", () => {
      test("files of a git repository: those that are named, or all of a folder", async () => {
        const { folder, commit } = await givenRepository();
        await commit("app/a.yaml", configMap("a", {}));
        await commit("app/b.json", configMap("b", {}));
        await commit("app/README.md", "words");
        const { deploy, names } = await givenManifests(fleet, filesAllowed);
        const git = { url: `file://${folder}`, path: "app" };
        await deploy("exec", { source: { git }, files: ["a.yaml"] });
        expect(await names("configmap")).toEqual(["a"]);
        const all = await deploy("exec", { source: { git } });
        expect(all.outputs).toMatchObject({ created: 1, unchanged: 1 });
        const absent = await deploy("exec", { source: { git }, files: ["../../etc/passwd"] });
        expect(absent.result?.success).toBe(false);
        const none = await deploy("exec", { source: { git: { ...git, path: "" } } });
        expect(none.description).toContain("no .yaml, .yml or .json file");
      });

      test("what kustomize makes of a folder, with patches of the plan's own and within its root", async () => {
        const folder = await testFolder();
        const place = path.join(folder, "over");
        await mkdir(place);
        await writeFile(path.join(folder, "base.yaml"), configMap("base", { k: "1" }));
        await writeFile(path.join(place, "web.yaml"), deployment("web"));
        const kustomization = { namePrefix: "x-", resources: ["web.yaml"] };
        const file = path.join(place, "kustomization.yaml");
        await writeFile(file, JSON.stringify(kustomization));
        const { deploy } = await givenManifests(fleet, filesAllowed);
        const source = { path: folder };
        const patches = [
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x-web}\nspec: {replicas: 2}\n",
        ];
        const kustomize = { path: "over", patches };
        const made = plannedDiff(await deploy("create-apply-plan", { source, kustomize }));
        expect(made.diff.content_diff).toMatchObject([{ ref: { name: "x-web" } }]);
        expect(JSON.stringify(made.diff.content_diff)).toContain('"replicas":2');

        const outside = { ...kustomization, resources: ["web.yaml", "../base.yaml"] };
        await writeFile(file, JSON.stringify(outside));
        const refused = await deploy("create-apply-plan", { source, kustomize: { path: "over" } });
        expect(refused.description).toMatch(/kustomize cannot build the manifest: .*base\.yaml/);
        expect(refused.result?.error_metadata["class"]).toBe("config_invalid");
        const free = { path: "over", load_restrictor: "none" };
        const allowed = plannedDiff(await deploy("create-apply-plan", { source, kustomize: free }));
        expect(allowed.diff.counts).toMatchObject({ create: 2 });
      });

      test("what kustomize makes of a chart, where the plan says so", async () => {
        const folder = await testFolder();
        const chart = path.join(folder, "charts", "small", "templates");
        await mkdir(chart, { recursive: true });
        const named = "apiVersion: v2\nname: small\nversion: 1.0.0\n";
        await writeFile(path.join(folder, "charts", "small", "Chart.yaml"), named);
        await writeFile(path.join(folder, "charts", "small", "values.yaml"), "{}\n");
        await writeFile(path.join(chart, "a.yaml"), configMap("of-{{ .Release.Name }}", {}));
        const helmCharts = [{ name: "small", releaseName: "chart" }];
        const file = path.join(folder, "kustomization.yaml");
        await writeFile(file, JSON.stringify({ helmCharts }));
        const { deploy } = await givenManifests(fleet, filesAllowed);
        const source = { path: folder };
        const without = await deploy("create-apply-plan", { source, kustomize: {} });
        expect(without.description).toContain("helm");
        const enabled = { source, kustomize: { enable_helm: true } };
        const made = plannedDiff(await deploy("create-apply-plan", enabled));
        expect(made.diff.content_diff).toMatchObject([{ ref: { name: "of-chart" } }]);
      });
    });

    test("is an artifact of a registry, or an archive in the plan", async () => {
      const folder = await testFolder();
      const both = manifestOf(configMap("a", {}), configMap("b", {}));
      await writeFile(path.join(folder, "all.yaml"), both);
      const { host } = await startRegistry();
      const pushed = ["push", "--plain-http", `${host}/app:v1`, "all.yaml"];
      await run(tool("oras"), pushed, { cwd: folder });
      const { deploy, names } = await givenManifests(fleet);
      const oci_artifact = { url: `${host}/app`, tag: "v1", plain_http: true };
      expect((await deploy("exec", { oci_artifact })).description).toBe("2 created.");
      expect(await names("configmap")).toEqual(["a", "b"]);
      const absent = await deploy("exec", { oci_artifact: { ...oci_artifact, tag: "v2" } });
      expect(absent.result?.error_metadata["reason"]).toBe("source_unavailable");
      await run("tar", ["-cf", "all.tar", "all.yaml"], { cwd: folder });
      const contents = await readFile(path.join(folder, "all.tar"), "base64");
      const same = await deploy("exec", { source: { archive: { contents } } });
      expect(same.outputs).toMatchObject({ unchanged: 2 });
    });
  },
);
