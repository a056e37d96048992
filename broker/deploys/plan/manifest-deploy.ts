import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type { DeployKind, KindOrder } from "./deploy-kind.ts";
import { defined, textIn } from "./rendered-members.ts";

/**
 * A deploy of manifests: of the build's artifact, but for a text of the config that has templates. That comes rendered, in the
 * artifact's place. Fields that somebody else has set meanwhile are taken back: who approves it sees whose they are.
 */
export const manifestDeploy = ({
  component,
  operation,
}: KindOrder<"kubernetes_manifest">): DeployKind => {
  const { namespace, kustomize } = component;
  const manifest = kustomize === undefined ? component.manifest : undefined;
  return {
    type: "kubernetes-manifest-deploy",
    cluster: "must",
    stateIn: "kubernetes_manifest",
    given: { namespace, manifest },
    make: (rendered, cluster) => {
      const text = textIn(rendered["manifest"]);
      // to the agent a blank text is none: it would deploy the artifact, which is not rendered
      if (text !== manifest && text?.trim() === "") return rendersToNothing(component.name);
      return {
        kubernetes_manifest: defined({
          cluster_info: cluster,
          namespace: textIn(rendered["namespace"]),
          manifest: text === manifest ? undefined : text,
          force_conflicts: operation === "apply" ? true : undefined,
        }),
      };
    },
  };
};

const rendersToNothing = (name: string): CompositeFault =>
  faultOf(
    "render_failed",
    "The manifest renders to nothing",
    `components/${name}.toml: the manifest renders to nothing: leave the component out by a toggle, or render at least one object.`,
  );
