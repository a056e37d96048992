import { AuthorizationV1Api, KubeConfig } from "@kubernetes/client-node";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";

type Right = {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** The kinds of jobs that need the right. */
  readonly types: readonly RunnerJobType[];
};

const deploys = ["helm-chart-deploy", "runner-helm", "kubernetes-manifest-deploy"] as const;
const jobs = ["job-deploy"] as const;

/** Rights that jobs which change clusters usually need. */
const rights: readonly Right[] = [
  { verbs: ["create"], group: "", resource: "namespaces", types: deploys },
  { verbs: ["create"], group: "", resource: "secrets", types: [...deploys, ...jobs] },
  { verbs: ["list"], group: "", resource: "secrets", types: deploys },
  { verbs: ["patch"], group: "", resource: "configmaps", types: deploys },
  { verbs: ["patch"], group: "", resource: "services", types: deploys },
  { verbs: ["patch", "delete"], group: "apps", resource: "deployments", types: deploys },
  {
    verbs: ["create", "get", "list", "patch", "delete"],
    group: "batch",
    resource: "jobs",
    types: jobs,
  },
  { verbs: ["list"], group: "", resource: "pods", types: jobs },
  { verbs: ["get"], group: "", resource: "pods", subresource: "log", types: jobs },
  { verbs: ["list"], group: "", resource: "events", types: jobs },
];

type Rights = {
  readonly server: string;
  /** The namespace that was checked; empty means all. */
  readonly namespace: string;
  readonly denied: readonly string[];
};

/**
 * Asks a cluster which of these rights it denies: the cluster of a kubeconfig, else that of this pod; in its default
 * namespace, if it has one.
 */
export async function askRights(
  kubeConfigFile: string | undefined,
  isDone: (type: RunnerJobType) => boolean,
): Promise<Rights> {
  const kubeConfig = new KubeConfig();
  if (kubeConfigFile === undefined) kubeConfig.loadFromCluster();
  else kubeConfig.loadFromFile(kubeConfigFile);
  const { namespace = "" } = kubeConfig.getContextObject(kubeConfig.getCurrentContext()) ?? {};
  const api = kubeConfig.makeApiClient(AuthorizationV1Api);
  const needed = rights
    .filter(({ types }) => types.some(isDone))
    .flatMap(({ verbs, group, resource, subresource }) =>
      verbs.map((verb) => ({ verb, group, resource, ...(subresource && { subresource }) })),
    );
  const denied = await Promise.all(
    needed.map(async (right) => {
      const spec = { resourceAttributes: { ...right, namespace } };
      const { status } = await api.createSelfSubjectAccessReview({ body: { spec } });
      const { resource, subresource } = right;
      const name = subresource === undefined ? resource : `${resource}/${subresource}`;
      return status?.allowed === true ? [] : [`${right.verb} ${name}`];
    }),
  );
  const server = kubeConfig.getCurrentCluster()?.server ?? "no cluster";
  return { server, namespace, denied: denied.flat() };
}
