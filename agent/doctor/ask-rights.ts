import { AuthorizationV1Api, KubeConfig } from "@kubernetes/client-node";

type Right = { readonly verb: string; readonly group: string; readonly resource: string };

/** What helm and manifests need in most clusters. */
const rights: readonly Right[] = [
  { verb: "create", group: "", resource: "namespaces" },
  { verb: "create", group: "", resource: "secrets" },
  { verb: "list", group: "", resource: "secrets" },
  { verb: "patch", group: "", resource: "configmaps" },
  { verb: "patch", group: "", resource: "services" },
  { verb: "patch", group: "apps", resource: "deployments" },
  { verb: "delete", group: "apps", resource: "deployments" },
];

/** Asks a cluster what it denies of the usual: that of a kubeconfig, else the one that this pod is in. */
export async function askRights(
  kubeConfigFile: string | undefined,
): Promise<{ readonly server: string; readonly denied: readonly string[] }> {
  const kubeConfig = new KubeConfig();
  if (kubeConfigFile === undefined) kubeConfig.loadFromCluster();
  else kubeConfig.loadFromFile(kubeConfigFile);
  const api = kubeConfig.makeApiClient(AuthorizationV1Api);
  const denied = await Promise.all(
    rights.map(async ({ verb, group, resource }) => {
      const spec = { resourceAttributes: { verb, group, resource } };
      const { status } = await api.createSelfSubjectAccessReview({ body: { spec } });
      return status?.allowed === true ? [] : [`${verb} ${resource}`];
    }),
  );
  return { server: kubeConfig.getCurrentCluster()?.server ?? "no cluster", denied: denied.flat() };
}
