import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { clusterTools } from "../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../support/cluster/given-namespace.ts";
import { runTool } from "../support/programs/run-tool.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";
import {
  givenPackedProviders,
  givenProviders,
  providerTools,
} from "../support/terraform/given-providers.ts";

const names = ["null", "local", "random", "time", "tls"];
const configuration = `
resource "random_pet" "name" {}
resource "tls_private_key" "key" {
  algorithm = "ED25519"
}
resource "time_static" "then" {}
resource "null_resource" "nothing" {
  triggers = { pet = random_pet.name.id }
}
resource "local_file" "out" {
  filename = "\${path.module}/out.txt"
  content  = "\${random_pet.name.id} \${time_static.then.unix > 0} \${null_resource.nothing.id != ""}"
}
output "pet" {
  value = random_pet.name.id
}
`;

for (const program of ["terraform", "tofu"]) {
  describeWithTools([program, ...providerTools(names)], `${program} with the mirror`, () => {
    test("a configuration is applied, seen unchanged and destroyed", async () => {
      const cwd = await testFolder();
      const { env } = await givenProviders(names);
      await writeFile(path.join(cwd, "main.tf"), configuration);
      const run = async (...args: string[]) => await runTool(program, args, { cwd, env });
      expect(await run("init", "-no-color")).not.toContain("CLI configuration");
      await run("apply", "-auto-approve", "-no-color");
      const pet = (await run("output", "-raw", "pet")).trim();
      expect(await readFile(path.join(cwd, "out.txt"), "utf8")).toBe(`${pet} true true`);
      await run("plan", "-detailed-exitcode", "-no-color");
      expect(await run("destroy", "-auto-approve", "-no-color")).toContain("5 destroyed");
    });

    test("a provider that nobody gave is asked of no registry", async () => {
      const cwd = await testFolder();
      const { env } = await givenProviders(["null"]);
      await writeFile(path.join(cwd, "main.tf"), 'resource "random_pet" "name" {}\n');
      const init = runTool(program, ["init", "-no-color"], { cwd, env });
      await expect(init).rejects.toThrow(/hashicorp\/random/);
    });

    test("packed providers are unpacked into a shared cache", async () => {
      const cwd = await testFolder();
      const cache = await testFolder();
      const { env } = await givenPackedProviders(["null"]);
      await writeFile(path.join(cwd, "main.tf"), 'resource "null_resource" "it" {}\n');
      const withCache = { ...env, TF_PLUGIN_CACHE_DIR: cache };
      await runTool(program, ["init", "-no-color"], { cwd, env: withCache });
      expect(
        await runTool(program, ["apply", "-auto-approve", "-no-color"], { cwd, env }),
      ).toContain("1 added");
    });
  });
}

describeWithTools(["tofu", "tofu-1.10"], "the two versions of tofu", () => {
  test.each([
    ["tofu", "1.12.6"],
    ["tofu-1.10", "1.10.10"],
  ])("%s says %s, as a release does", async (program, version) => {
    const told = JSON.parse(await runTool(program, ["version", "-json"])) as object;
    expect(told).toMatchObject({ terraform_version: version });
  });
});

const inCluster = ["terraform", ...providerTools(["kubernetes", "archive"]), ...clusterTools];
describeWithTools(inCluster, "terraform's provider for Kubernetes", () => {
  test("makes what its account may make, and is refused the rest", async () => {
    const at = await givenNamespace();
    const verbs = ["get", "create", "update", "delete"];
    const { kubeconfig } = await givenAccount(at, [{ verbs, resources: ["configmaps"] }]);
    const cwd = await testFolder();
    const { env } = await givenProviders(["kubernetes", "archive"]);
    const run = async (...args: string[]) =>
      await runTool("terraform", args, { cwd, env: { ...env, KUBECONFIG: kubeconfig } });
    const configure = async (kind: string) =>
      await writeFile(path.join(cwd, "main.tf"), kubernetesConfiguration(at.name, kind));
    await configure("config_map");
    await run("init", "-no-color");
    await run("apply", "-auto-approve", "-no-color");
    const size = ["get", "configmap", "it", "-o", "jsonpath={.data.size}"];
    expect(Number(await at.kubectl(size))).toBeGreaterThan(0);
    await configure("secret");
    await expect(run("apply", "-auto-approve", "-no-color")).rejects.toThrow(
      /cannot create resource "secrets"/,
    );
  });
});

function kubernetesConfiguration(namespace: string, kind: string): string {
  return `
provider "kubernetes" {}
data "archive_file" "it" {
  type                    = "zip"
  source_content          = "content"
  source_content_filename = "file"
  output_path             = "\${path.module}/it.zip"
}
resource "kubernetes_${kind}" "it" {
  metadata {
    name      = "it"
    namespace = "${namespace}"
  }
  data = { size = data.archive_file.it.output_size }
}
`;
}
