import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import {
  choosePolicies,
  type ConfigPolicy,
  type PolicyType,
} from "../../shared/policies/choose-policies.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";

const judged: readonly string[] = [
  "terraform_module",
  "helm_chart",
  "kubernetes_manifest",
  "pulumi",
];

/** The policies of a config that judge the plan of a deploy, or of a run of the sandbox. */
export function policiesOfDeploy(
  config: Pick<AppConfigDocument, "policies">,
  {
    component_id: id,
    component_type: type,
    component_name: component,
    type: does,
  }: Pick<DeployRow, "component_id" | "component_type" | "component_name" | "type">,
): readonly ConfigPolicy[] {
  const isTeardown = does === "teardown" || does === "deprovision";
  if (id === null) return choosePolicies(config, { type: "sandbox", isTeardown });
  if (!judged.includes(type)) return [];
  return choosePolicies(config, { type: type as PolicyType, component, isTeardown }); // one of them
}
