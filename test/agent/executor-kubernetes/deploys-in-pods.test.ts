import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenExecutor } from "../../support/cluster/given-executor.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { leaveAs } from "../../support/helm/leave-pending.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenAwsSecret } from "../../support/secrets/aws-secrets.ts";
import { keysIn, secretSync } from "../../support/secrets/secret-plans.ts";
import { approvedPlan, givenTerraformWorkspace } from "../../support/terraform/given-terraform.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const main = `
variable "word" { type = string }
resource "terraform_data" "one" { input = var.word }
output "word" { value = terraform_data.one.output }
`;

describeWithTools(clusterTools, "a deploy in a pod, with its job's token alone", () => {
  test("plans by terraform and applies that plan, with its state at the broker", async () => {
    const runner = await givenExecutor(fleet);
    const terraform = await givenTerraformWorkspace(fleet, runner);
    await runner.start();
    const given = { files: { "main.tf": main }, body: { vars: { word: "first" } } };
    const planned = await runner.run(await terraform.job("create-apply-plan", given));
    expect(planned).toMatchObject({ status: "finished" });
    const approved = { ...given, plan: approvedPlan(planned) };
    const applied = await runner.run(await terraform.job("apply-plan", approved));
    expect(applied).toMatchObject({ status: "finished", outputs: { word: "first" } });
    expect((await terraform.state())?.resources).toHaveLength(1);
    expect((await terraform.workspace()).lock).toBeNull();
    expect(runner.kubelet.begun).toHaveLength(2);
  });

  test("applies manifests to the cluster of its plan", async () => {
    const runner = await givenExecutor(fleet);
    await runner.start();
    const kube_config = await readFile(runner.at.kubeconfig, "utf8");
    const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata: {by: a pod}\n";
    const kubernetes_manifest = {
      cluster_info: { kube_config },
      namespace: runner.at.name,
      manifest,
    };
    const job = { type: "kubernetes-manifest-deploy", operation: "create-apply-plan" } as const;
    const planned = await runner.run({ ...job, plan: JSON.stringify({ kubernetes_manifest }) });
    expect(planned).toMatchObject({ status: "finished" });
    const applied = await runner.run({
      ...job,
      operation: "apply-plan",
      plan: JSON.stringify({
        kubernetes_manifest,
        apply_plan_contents: planned.result?.contents_gzip ?? "",
      }),
    });
    expect(applied).toMatchObject({ status: "finished" });
    const made = ["get", "configmap", "made", "-o", "jsonpath={.data.by}"];
    expect(await runner.at.kubectl(made)).toBe("a pod");
  });
});

describeWithTools([...clusterTools, "moto_server"], "a sync of secrets in a pod", () => {
  test("reads them by the pod's own variables and writes them to the cluster of its plan", async () => {
    const moto = await startMoto();
    const env = Object.entries(moto.env).map(([name, value]) => ({ name, value }));
    const runner = await givenExecutor(fleet, { spec: { containers: [{ name: "job", env }] } });
    await runner.start({ groups: "sandbox=1" });
    const secret_arn = await givenAwsSecret(moto, "license", "stored-words-1");
    const one = { secret_arn, namespace: runner.at.name, name: "license" };
    const synced = await runner.run(await secretSync(runner.at, [one]));
    expect(synced.description).toBe("Secrets found: 1 of 1; keys written: 1.");
    expect(await keysIn(runner.at, "license")).toEqual({ value: "stored-words-1" });
    expect(runner.kubelet.begun).toHaveLength(1);
  });
});

describeWithTools([...clusterTools, "helm"], "helm in a pod", () => {
  test("frees a release that the helm of a killed pod left pending, when that pod's job is over", async () => {
    findsHelm();
    const runner = await givenExecutor(fleet);
    const { release, at, job } = await releasesOf(runner);
    await runner.start({ "allow-file-sources": "yes" });
    const helm = { source: { path: await givenChart() } };
    const { id } = await release("exec", helm);
    const [execution] = (await job(id)).executions;
    const pending = [1, "pending-install"] as const;
    await leaveAs(at, pending, {
      "svc-job": id,
      "svc-execution": "exe_00000000000000000000000000",
    });
    const held = await release("exec", helm);
    expect(held.result?.error_metadata["class"]).toBe("locked");
    await leaveAs(at, pending, { "svc-job": id, "svc-execution": execution?.id ?? "" });
    const freed = await release("exec", helm);
    expect(freed.description).toMatch(/^app is (?:installed|upgraded): revision \d\.$/);
    expect(runner.kubelet.begun).toHaveLength(3);
  });
});
