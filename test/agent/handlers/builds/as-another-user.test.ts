import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../../support/agent/given-job-users.ts";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import { buildsOf } from "../../../support/builds/given-builds.ts";
import { givenChart } from "../../../support/helm/given-helm.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { startRegistry } from "../../../support/sources/start-registry.ts";
import { tool } from "../../../tools/find-tool.ts";

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

const asRoot = canChangeUsers ? describeWithTools : () => {};
asRoot(
  ["registry", "terraform", "helm", "kustomize"],
  "builds as another user than the agent",
  () => {
    test("read the source, prove themselves and push as that user", async () => {
      const bin = await testFolder(0o755);
      for (const name of ["helm", "kustomize"]) await cp(tool(name), path.join(bin, name));
      vi.stubEnv("PATH", [bin, process.env["PATH"]].join(":"));
      const registry = await startRegistry();
      const runner = await givenJobUsers(await givenFleet(), [59_480, 59_481], {
        groups: "build=1",
        "allow-file-sources": "yes",
      });
      const { build } = buildsOf(runner, registry.host);
      const module = await testFolder(0o755);
      await mkdir(path.join(module, "words"));
      await writeFile(path.join(module, "words/main.tf"), 'output "x" { value = 1 }\n');
      await writeFile(path.join(module, "main.tf"), 'module "words" { source = "./words" }\n');
      const kustomized = await testFolder(0o755);
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };
      await writeFile(path.join(kustomized, "map.yaml"), JSON.stringify(map));
      await writeFile(path.join(kustomized, "kustomization.yaml"), "resources: [map.yaml]\n");
      const chart = await givenChart();
      await chmod(chart, 0o755);
      const built = [
        await build("terraform-module-build", { source: { path: module } }),
        await build("helm-chart-build", { source: { path: chart } }),
        await build("kubernetes-manifest-build", { source: { path: kustomized } }),
      ];
      for (const { description } of built) expect(description).toMatch(/^It is built: sha256:/);
    });
  },
);
