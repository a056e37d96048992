import type { DeployKind, KindOrder } from "./deploy-kind.ts";
import { pulumiStack } from "./pulumi-stack.ts";
import { defined, wordsIn } from "./rendered-members.ts";

/** A deploy of a program of Pulumi. */
export const pulumiDeploy = ({ component, ...order }: KindOrder<"pulumi">): DeployKind => {
  const { runtime, pulumi_version, config, env_vars } = component;
  return {
    type: "pulumi-deploy",
    cluster: "may",
    given: { runtime, pulumi_version, config, env_vars },
    make: (rendered, cluster) => ({
      pulumi: defined({
        ...pulumiStack(rendered, order),
        env_vars: wordsIn(rendered["env_vars"]),
        cluster_info: cluster,
        destroy: order.operation === "teardown" ? true : undefined,
      }),
    }),
  };
};
