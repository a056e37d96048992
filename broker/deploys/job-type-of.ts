import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";

const ofComponents: Readonly<Record<string, RunnerJobType>> = {
  terraform_module: "terraform-deploy",
  helm_chart: "helm-chart-deploy",
  kubernetes_manifest: "kubernetes-manifest-deploy",
  pulumi: "pulumi-deploy",
  job: "job-deploy",
};

/** The type of the jobs that plan and apply a deploy, or a run of a sandbox. */
export function jobTypeOf({
  component_id: id,
  component_type: type,
}: Pick<DeployRow, "component_id" | "component_type">): RunnerJobType {
  if (id === null) return type === "pulumi" ? "sandbox-pulumi" : "sandbox-terraform";
  const found = ofComponents[type];
  if (found === undefined) throw new Error(`nothing plans what is of type ${type}`);
  return found;
}
