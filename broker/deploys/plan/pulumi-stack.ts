import type { DeployOrder } from "../deploy-order.ts";
import type { Members, Rendered } from "./deploy-kind.ts";
import { defined, textIn, wordsIn } from "./rendered-members.ts";

/** A stack of Pulumi in a workspace, by the name of its install. An update is held to the plan that is approved. */
export const pulumiStack = (
  { runtime, pulumi_version: version, config }: Rendered,
  { facts, target }: Pick<DeployOrder, "facts" | "target">,
): Members =>
  defined({
    runtime: textIn(runtime),
    stack_name: facts.install.id,
    workspace_id: target.workspace_id,
    config: wordsIn(config),
    pulumi_version: textIn(version),
    update_plans: true,
  });
