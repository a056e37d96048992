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
