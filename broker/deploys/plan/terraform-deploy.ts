import { plansWithVariables } from "../../../shared/runner-job-types.ts";
import type { DeployKind, KindOrder, Rendered } from "./deploy-kind.ts";
import { givenTerraform, terraformMembers } from "./terraform-members.ts";

/** A deploy of a module of terraform. */
export const terraformDeploy = ({
  component,
  target,
}: KindOrder<"terraform_module">): DeployKind => ({
  type: "terraform-deploy",
  cluster: "may",
  stateIn: "terraform",
  statePlans: plansWithVariables,
  given: givenTerraform(component as unknown as Rendered), // JSON, as it was checked
  make: (rendered, cluster) => ({
    terraform: {
      ...terraformMembers(rendered, target.workspace_id),
      ...(cluster && { cluster_info: cluster }),
    },
  }),
});
