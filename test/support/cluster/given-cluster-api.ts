import { onTestFinished } from "vitest";
import { type Cluster, clusterOf } from "../../../agent/kubernetes/cluster.ts";
import { openKubeApi } from "../../../agent/kubernetes/kube-api.ts";
import type { Namespace } from "./given-namespace.ts";

type Flat = {
  clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  users: { user: { token: string } }[];
};

/** The cluster of a namespace's kubeconfig as the agent's own code speaks to it. */
export async function givenClusterApi(at: Pick<Namespace, "name" | "kubectl">): Promise<Cluster> {
  const text = await at.kubectl(["config", "view", "--raw", "--flatten", "-o", "json"]);
  const { clusters, users } = JSON.parse(text) as Flat; // kubectl wrote it
  const [{ cluster } = { cluster: undefined }] = clusters;
  const ca = Buffer.from(cluster?.["certificate-authority-data"] ?? "", "base64").toString();
  const token = users[0]?.user.token ?? "";
  const access = {
    server: cluster?.server ?? "",
    tls: { ca },
    proxyEnv: {},
    login: async () => await Promise.resolve({ token, untilMs: Date.now() + 3_600_000 }),
  };
  const opened = clusterOf(openKubeApi(access, new AbortController().signal), at.name);
  onTestFinished(opened.close);
  return opened;
}
