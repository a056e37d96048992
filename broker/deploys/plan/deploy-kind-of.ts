import type { DeployOrder } from "../deploy-order.ts";
import type { DeployKind } from "./deploy-kind.ts";
import { helmDeploy } from "./helm-deploy.ts";
import { jobDeploy } from "./job-deploy.ts";
import { manifestDeploy } from "./manifest-deploy.ts";
import { pulumiDeploy } from "./pulumi-deploy.ts";
import { sandboxPulumi } from "./sandbox-pulumi.ts";
import { sandboxTerraform } from "./sandbox-terraform.ts";
import { terraformDeploy } from "./terraform-deploy.ts";

/** How what is deployed is planned, by its type. Throws for an image: these are copied, and nothing of them is planned. */
export function deployKindOf({ part, ...of }: DeployOrder): DeployKind {
  const { facts, target, operation, pullSecret, kyverno } = of;
  const order = { facts, target, operation, pullSecret, ...(kyverno && { kyverno }) };
  if ("sandbox" in part) {
    const make = part.sandbox.type === "pulumi" ? sandboxPulumi : sandboxTerraform; // as it is built
    return make(part.sandbox, order);
  }
  const { component } = part;
  switch (component.type) {
    case "terraform_module":
      return terraformDeploy({ ...order, component });
    case "helm_chart":
      return helmDeploy({ ...order, component });
    case "kubernetes_manifest":
      return manifestDeploy({ ...order, component });
    case "pulumi":
      return pulumiDeploy({ ...order, component });
    case "job":
      return jobDeploy({ ...order, component });
    default:
      throw new Error(`the deploy of a component of type ${component.type} has no plan`);
  }
}
