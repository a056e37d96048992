import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Json } from "../../shared/app-config/templates/json-value.ts";
import {
  clusterAt,
  type ClusterInfo,
  clusterInfoOf,
  componentCluster,
  sandboxCluster,
  shownCluster,
} from "../deploys/plan/cluster-info-of.ts";
import { clusterHidden, clusterMissing, componentOf } from "../deploys/plan/cluster-places.ts";
import type { StateBase } from "../installs/state-base.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";

type Action = Pick<
  NonNullable<AppConfigDocument["actions"]>[number],
  "name" | "enable_kube_config" | "kubernetes_context"
>;
/** A context asks for a cluster, unless the action says that it wants none. */
const wantsCluster = ({ enable_kube_config: is, kubernetes_context: context }: Action): boolean =>
  is ?? context !== undefined;

/** Where the cluster of an action is looked for: in the outputs of its context's component, else in the sandbox's; nowhere where it asks for none. */
export function findActionPlaces(
  facts: StateBase,
  action: Action,
): ReturnType<typeof componentCluster> {
  if (!wantsCluster(action)) return [];
  const { kubernetes_context: context } = action;
  if (context === undefined) return sandboxCluster;
  const component = componentOf(facts, context);
  return component === undefined ? [] : componentCluster(component);
}

/** What templates gave at these places, and what people see of that. */
type RenderedPlaces = { readonly real: Json; readonly masked: Json };
export type FoundCluster = {
  readonly cluster: ClusterInfo | undefined;
  readonly shown: ClusterInfo | undefined;
  /** It is where the runner's own kubeconfig leads. */
  readonly isRunners: boolean;
};

/** The cluster that an action gets, and as people are shown it; or why there is none. In an install of no cloud it may be its runner's own. */
export function actionCluster(
  facts: StateBase,
  action: Action,
  { real, masked }: RenderedPlaces,
): FoundCluster | CompositeFault {
  const { install } = facts;
  const at = clusterAt(real);
  const cluster = clusterInfoOf(real, at, install);
  if (cluster === undefined && wantsCluster(action) && isNeeded(install, action))
    return clusterMissing(
      facts,
      action.kubernetes_context,
      `The action ${action.name} asks for a cluster.`,
    );
  const fault = wantsCluster(action) ? clusterHidden(cluster) : undefined;
  if (fault !== undefined) return fault;
  return {
    cluster,
    shown: shownCluster(clusterInfoOf(masked, at, install)),
    isRunners: cluster === undefined && wantsCluster(action),
  };
}

const isNeeded = (
  { cloud_platform: cloud, sandbox_mode: isSimulated }: StateBase["install"],
  { kubernetes_context: context }: Action,
): boolean => isSimulated !== true && (context !== undefined || cloud !== "unknown");
