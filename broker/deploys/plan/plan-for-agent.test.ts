import { describe, expect, test } from "vitest";
import { readJobRun } from "../../../agent/handlers/cluster-jobs/job-run.ts";
import { readHelmRun } from "../../../agent/handlers/helm/helm-run.ts";
import { readManifestRun } from "../../../agent/handlers/manifests/manifest-run.ts";
import { readPulumiRun } from "../../../agent/handlers/pulumi/pulumi-run.ts";
import { readTerraformRun } from "../../../agent/handlers/terraform/terraform-run.ts";
import type { JobInfo, Plan } from "../../../agent/jobs/handler.ts";
import { plannedDeploy, readPlan } from "../../../test/support/deploys/planned-deploy.ts";
import type { ComponentConfigPart } from "../deploy-order.ts";

type Part = Parameters<typeof plannedDeploy>[0];
const named = (part: object): ComponentConfigPart => ({ name: "it", ...part }) as never;
const missing = "{{ .svc.components.gone.outputs.v }}";

type Row = readonly [string, Part, (plan: Plan, info: JobInfo) => object];
const kinds: readonly Row[] = [
  ["terraform", named({ type: "terraform_module", vars: { a: 1 } }), readTerraformRun],
  ["a chart", named({ type: "helm_chart", chart_name: "it", values: { a: 1 } }), readHelmRun],
  ["manifests", named({ type: "kubernetes_manifest", namespace: "a" }), readManifestRun],
  ["Pulumi", named({ type: "pulumi", runtime: "yaml" }), readPulumiRun],
  ["a job", named({ type: "job", image_url: "alpine" }), readJobRun],
  ["a sandbox", { sandbox: { vars: { a: 1 } } }, readTerraformRun],
  ["a sandbox of Pulumi", { sandbox: { type: "pulumi", runtime: "yaml" } }, readPulumiRun],
];

/** The run that an agent reads of the plan of this. */
function runOf([, part, read]: Row, operation: "apply" | "teardown"): object {
  const { type, plan } = readPlan(plannedDeploy(part, {}, { operation }));
  return read(plan, { id: "job_a", type, operation: `create-${operation}-plan` } as JobInfo);
}

describe.each(kinds)("an agent reads the plan of %s", (...row) => {
  const hasArtifact = row[2] !== readJobRun;
  const source = {
    kind: "oci",
    oci: {
      url: "registry.test:5000",
      repository: "org_a/app_a/cmp_a",
      digest: `sha256:${"a".repeat(64)}`,
    },
  };

  test("to deploy it, by the digest of its artifact", () => {
    const run = runOf(row, "apply");
    expect(run).toMatchObject({ action: "plan" });
    if (!hasArtifact) return;
    const place = row[2] === readHelmRun ? { chart: source } : { source };
    expect(run).toMatchObject(place);
  });

  test("to tear it down", () => {
    const isWhole = row[2] === readTerraformRun || row[2] === readPulumiRun;
    const expected = isWhole ? { action: "plan", isDestroy: true } : { action: "plan-teardown" };
    expect(runOf(row, "teardown")).toMatchObject(expected);
  });
});

test.each<[string, ComponentConfigPart]>([
  ["a chart", named({ type: "helm_chart", chart_name: "it", values: { a: missing } })],
  ["a job", named({ type: "job", image_url: missing })],
])("%s is torn down without values that are gone", (_, part) => {
  expect(plannedDeploy(part)).toMatchObject({ code: "missing_value" });
  expect(plannedDeploy(part, {}, { operation: "teardown" })).not.toHaveProperty("code");
});
