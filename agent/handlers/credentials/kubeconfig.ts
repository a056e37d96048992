import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { ClusterInfo } from "./read-credentials.ts";

/**
 * Writes the kubeconfig of a plan's `cluster_info` into a folder in memory, 0600, and answers the variables that
 * lead tools to it. A whole one is taken as it is; else one is made of endpoint, certificate and token, or, without
 * a token, of what the cloud's own tool says.
 */
export async function writeKubeconfig(
  info: ClusterInfo | null | undefined,
  { folder, owner }: { readonly folder: string; readonly owner: FileOwner },
): Promise<Record<string, string>> {
  if (info == null) return {};
  const contents = info.kube_config || info.kubeconfig || made(info);
  if (contents === undefined) return { ...info.env_vars };
  const file = path.join(folder, "kubeconfig");
  await writeJobFileOnce(file, contents, owner);
  return { ...info.env_vars, KUBECONFIG: file };
}

/** JSON is YAML. */
function made({ id, endpoint, ca_data, token }: ClusterInfo): string | undefined {
  if (!endpoint) return undefined;
  const name = id || "cluster";
  const args = ["eks", "get-token", "--cluster-name", name, "--output", "json"];
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const user = token
    ? { token }
    : { exec: { apiVersion, command: "aws", args, interactiveMode: "Never" } };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [
      {
        name,
        cluster: { server: endpoint, ...(ca_data && { "certificate-authority-data": ca_data }) },
      },
    ],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
