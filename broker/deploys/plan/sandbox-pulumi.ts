import type { DeployOrder, SandboxConfigPart } from "../deploy-order.ts";
import type { DeployKind } from "./deploy-kind.ts";
import { pulumiStack } from "./pulumi-stack.ts";
import { defined, wordsIn } from "./rendered-members.ts";

/** A run of a sandbox that is a program of Pulumi. */
export const sandboxPulumi = (
  { runtime, pulumi_version, pulumi_config, env_vars }: SandboxConfigPart,
  order: Pick<DeployOrder, "facts" | "target">,
): DeployKind => ({
  type: "sandbox-pulumi",
  cluster: "none",
  given: { runtime, pulumi_version, pulumi_config, env_vars },
  make: (rendered) =>
    defined({
      pulumi_backend: pulumiStack({ ...rendered, config: rendered["pulumi_config"] }, order),
      env_vars: wordsIn(rendered["env_vars"]),
    }),
});
