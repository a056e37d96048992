import type { DeployKind, KindOrder } from "./deploy-kind.ts";
import { defined, textIn, textsIn, wordsIn } from "./rendered-members.ts";

/** An image that is run once in the install's cluster. Its teardown runs none: what its texts read may be gone. */
export const jobDeploy = ({ component, operation, pullSecret }: KindOrder<"job">): DeployKind => {
  const { image_url, tag, cmd, args, env_vars } = operation === "teardown" ? {} : component;
  return {
    type: "job-deploy",
    cluster: "must",
    given: { image_url, tag, cmd, args, env_vars },
    make: (rendered, cluster) => ({
      job: defined({
        cluster_info: cluster,
        name: jobName(component.name),
        image_url: textIn(rendered["image_url"]),
        tag: textIn(rendered["tag"]),
        cmd: textsIn(rendered["cmd"]),
        args: textsIn(rendered["args"]),
        env_vars: wordsIn(rendered["env_vars"]),
        image_pull_secrets:
          pullSecret === null || operation === "teardown" ? undefined : [pullSecret.name],
      }),
    }),
  };
};

const mostLetters = 36;

/** What its Job's name begins with, which may have no `_`. */
const jobName = (name: string): string =>
  name.replaceAll("_", "-").slice(0, mostLetters).replace(/-+$/, "");
