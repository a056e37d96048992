import { plansWithVariables } from "../../../shared/runner-job-types.ts";
import type { DeployOrder, SandboxConfigPart } from "../deploy-order.ts";
import type { DeployKind, Rendered } from "./deploy-kind.ts";
import { givenTerraform, terraformMembers } from "./terraform-members.ts";

/** A run of a sandbox that terraform makes. */
export const sandboxTerraform = (
  sandbox: SandboxConfigPart,
  { target, kyverno }: Pick<DeployOrder, "target" | "kyverno">,
): DeployKind => ({
  type: "sandbox-terraform",
  cluster: "none",
  stateIn: "",
  statePlans: plansWithVariables,
  given: givenTerraform(sandbox as unknown as Rendered), // JSON, as it was checked
  make: (rendered) => ({
    ...terraformMembers(rendered, target.workspace_id),
    ...(kyverno && { policies: kyverno, kyverno_policies_dir: policiesFolder }),
  }),
});

/** Where modules of sandboxes look for them. */
const policiesFolder = "kyverno-policies";
