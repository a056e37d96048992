import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { configMap, deploysOf, manifestOf } from "../../../support/manifests/given-manifests.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";
import { tool } from "../../../tools/find-tool.ts";

let fleet: Fleet;
let registry: Registry;

const inline = (inline_manifest: string) => ({
  kubernetes_manifest_build_plan: { source_type: "inline", inline_manifest },
});
const kustomize = (kustomize_path: string, kustomize_config: object = {}) => ({
  kubernetes_manifest_build_plan: { source_type: "kustomize", kustomize_path, kustomize_config },
});

/** A folder with a base, and what is made of it beside it. */
async function givenBase(): Promise<string> {
  const folder = await testFolder();
  const files = {
    "base/kustomization.yaml": "resources: [map.yaml]\n",
    "base/map.yaml": configMap("settings", { level: "{{ .svc.inputs.inputs.level }}" }),
    "over/kustomization.yaml": "resources: [../base]\nnamePrefix: acme-\n",
    "far/kustomization.yaml": "resources: [../base/map.yaml]\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

describeWithTools(
  [...clusterTools, "registry", "oras", "kustomize"],
  "a build of manifests",
  () => {
    beforeAll(async () => {
      vi.stubEnv("PATH", [path.dirname(tool("kustomize")), process.env["PATH"]].join(":"));
      fleet = await givenFleet();
      registry = await startRegistry({ isOfFile: true });
    });

    test("is the plan's own or what kustomize makes of a folder, templates and all, and is deployed", async () => {
      const runner = await deploysOf(await givenBuilds(fleet, registry));
      const { build, placeOf, deploy, names } = runner;
      const text = manifestOf(configMap("one", {}), configMap("two", { a: "{{ .acme.org.id }}" }));
      const own = await build("kubernetes-manifest-build", { ...inline(text), brands: ["acme"] });
      expect(own.outputs["references"]).toEqual(["org.id"]);
      const deployed = await deploy("exec", {}, placeOf(own));
      expect(deployed.outputs).toMatchObject({ created: 2 });

      const folder = await givenBase();
      const planOf = (path: string) => ({ source: { path }, ...kustomize("over") });
      const built = await build("kubernetes-manifest-build", planOf(folder));
      expect(built.outputs["references"]).toEqual(["inputs.inputs.level"]);
      const again = await build("kubernetes-manifest-build", planOf(await givenBase()));
      expect(again.outputs["digest"]).toBe(built.outputs["digest"]);
      await deploy("exec", {}, placeOf(built));
      expect(await names("configmap")).toEqual(["acme-settings"]);
      const pulled = await testFolder();
      const place = `${registry.host}/acme/part@${String(built.outputs["digest"])}`;
      await runTool("oras", ["pull", "--plain-http", place, "-o", pulled]);
      expect((await readFile(path.join(pulled, "manifest.tar.gz"))).length).toBeGreaterThan(100);
    });

    test("that is none, or leaves its folder, is told with its line, and nothing is pushed", async () => {
      const { build, manifest } = await givenBuilds(fleet, registry);
      const folder = await givenBase();
      const source = { path: folder };
      const rows: readonly (readonly [object, string])[] = [
        [inline("a: 1\n---\nb: 2\n"), "manifest.yaml, document 1, line 1: apiVersion is missing"],
        [inline(`${configMap("a", {})}\n---\nb: [1\nc: 2\n`), "manifest.yaml, document 2, line"],
        [{ source, ...kustomize("far") }, "security; file"],
        [{ source, ...kustomize("nowhere") }, "nowhere does not exist"],
        [{ source, ...kustomize("") }, "unable to find one of"],
      ];
      const told: string[] = [];
      for (const [plan] of rows) {
        const ended = await build("kubernetes-manifest-build", { ...plan, dst_tag: "none" });
        told.push(ended.description);
      }
      const found = told.filter((words, at) => words.includes(rows[at]?.[1] ?? "nothing"));
      expect(found).toEqual(told);
      const loose = { load_restrictor: "none" };
      const open = await build("kubernetes-manifest-build", {
        source,
        ...kustomize("far", loose),
      });
      expect(open.status).toBe("finished");
      expect(await manifest("none")).toBeUndefined();
    });
  },
);
