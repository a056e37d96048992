import { redactedText } from "../../../shared/hidden-value.ts";
import type { StateBase } from "../../installs/state-base.ts";
import { faultOf } from "../../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../../workflows/machine/workflow-rows.ts";
import type { DeployOrder } from "../deploy-order.ts";
import { type ClusterInfo, componentCluster, sandboxCluster } from "./cluster-info-of.ts";
import type { DeployKind } from "./deploy-kind.ts";

/** Where the cluster of a deploy is looked for: in the outputs of its context's component, else in the sandbox's. */
export function findClusterPlaces(
  { part, facts }: DeployOrder,
  { cluster }: DeployKind,
): ReturnType<typeof componentCluster> {
  if (cluster === "none") return [];
  const context = contextOf(part);
  if (context === undefined) return sandboxCluster;
  const component = componentOf(facts, context);
  return component === undefined ? [] : componentCluster(component);
}

/**
 * Why a deploy without a cluster cannot be; undefined where it can. In an install of no cloud it goes where its runner's own kubeconfig
 * leads, but never where a context names another cluster.
 */
export function requireCluster(
  { part, facts }: DeployOrder,
  { cluster }: DeployKind,
): CompositeFault | undefined {
  const context = contextOf(part);
  const { cloud_platform: cloud, sandbox_mode: isSimulated } = facts.install;
  const isNeeded =
    context !== undefined ? cluster !== "none" : cluster === "must" && cloud !== "unknown";
  if (!isNeeded || isSimulated === true || !("component" in part)) return undefined;
  const { name } = part.component;
  const what = `components/${name}.toml: the component ${name} is deployed into a cluster.`;
  return clusterMissing(facts, context, what);
}

/** Why nobody could sign in at a cluster: what its outputs say of that was hidden before they left the runner. */
export function clusterHidden(cluster: ClusterInfo | undefined): CompositeFault | undefined {
  const { kube_config = "", token = "", ca_data = "" } = cluster ?? {};
  const told = { kube_config, token, certificate_authority_data: ca_data };
  const hidden = Object.entries(told).find(([, text]) => text.includes(redactedText));
  if (hidden === undefined) return undefined;
  const detail =
    `The output ${hidden[0]} that names its cluster has ${redactedText} in it: secrets do not leave the runner in outputs. ` +
    "Let the runner sign in there by its cloud's identity or its own kubeconfig, or have kube_config name a tokenFile or a command (exec) that are on its host.";
  return faultOf("cluster_missing", "How to sign in at its cluster is hidden", detail);
}

/** There is no cluster where one is needed: by the context that is named, else the sandbox's. */
export function clusterMissing(
  facts: StateBase,
  context: string | undefined,
  what: string,
): CompositeFault {
  const where =
    context === undefined
      ? "The install's sandbox has no output `cluster` that names one."
      : `Its Kubernetes context ${context} is that of the component ${componentOf(facts, context) ?? "(none)"}, which has no outputs that name one.`;
  const detail = `${what} ${where} ${clusterForm}`;
  return faultOf("cluster_missing", "Its cluster is not known", detail);
}

/** What outputs have to be to name one. */
const clusterForm =
  "A cluster is {name, endpoint or host, certificate_authority_data or cluster_ca_certificate}, or {kube_config}.";

const contextOf = (part: DeployOrder["part"]): string | undefined =>
  "component" in part ? part.component.kubernetes_context : undefined;

/** The component whose cluster a Kubernetes context is; undefined where the config has it not. */
export function componentOf({ config }: DeployOrder["facts"], context: string): string | undefined {
  const contexts = config.kubernetes_contexts?.context ?? [];
  const named = contexts.find(({ name }) => keyOf(name) === keyOf(context));
  return named?.source_component_name;
}

/** As templates compare names. */
const keyOf = (name: string): string => name.replaceAll("-", "_");
