import { readFile } from "node:fs/promises";
import path from "node:path";
import { readJobText } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { deployFailure } from "./deploy-failure.ts";
import { hostKubeconfig } from "./host-kubeconfig.ts";
import type { ClusterAccess } from "./kube-api.ts";
import { inlineOr, kubeLogin } from "./kube-login.ts";
import { pluginLogin } from "./plugin-login.ts";
import type { KubeUser, ReadKubeconfig } from "./read-kubeconfig.ts";
import { readKubeconfigs } from "./read-kubeconfigs.ts";

/** The access to a job's cluster, and its default namespace. */
export type JobCluster = { readonly access: ClusterAccess; readonly namespace: string };

/** The address of a job's cluster, and the job's login. */
export type FoundCluster = Omit<ClusterAccess, "login"> & {
  readonly namespace: string;
  readonly user: KubeUser;
  /** Reads a file that the kubeconfig names. */
  readonly read: (name: string) => Promise<string>;
};

const inPod = "/var/run/secrets/kubernetes.io/serviceaccount";
const mostFileBytes = 2 ** 20;

/** Makes the access to a cluster, with a login that is refreshed as needed. Throws JobFailure. */
export async function clusterAccess(
  job: Job,
  env: Readonly<Record<string, string>>,
): Promise<JobCluster> {
  const { namespace, user, read, ...access } = await findCluster(job, env);
  const means = {
    readFile: read,
    askPlugin: async (plugin: NonNullable<KubeUser["exec"]>) =>
      await pluginLogin(plugin, { job, env }),
  };
  return { namespace, access: { ...access, login: async () => await kubeLogin(user, means) } };
}

/**
 * Finds the cluster of the job's plan (its kubeconfig is in `env`), else the host's own: its kubeconfig, or that of
 * the pod that the agent runs in. Throws JobFailure.
 */
export async function findCluster(
  job: Job,
  env: Readonly<Record<string, string>>,
): Promise<FoundCluster> {
  const given = env["KUBECONFIG"];
  const { env: hostEnv } = job.agent.config;
  const owner = given === undefined ? undefined : job.directories.owner;
  // Files that a plan names are read as the job's user, who may not read the agent's.
  const textOf = async (place: string): Promise<string> =>
    owner === undefined
      ? await readFile(place, "utf8").catch(() => "")
      : await readJobText(place, owner, mostFileBytes);
  const found = await readKubeconfigs(given ?? hostKubeconfig(hostEnv), textOf);
  if (found === undefined) return await ofPod(hostEnv);
  const { cluster, user, namespace } = found;
  const read = async (file: string): Promise<string> => {
    const text = await textOf(file);
    if (text !== "") return text;
    const words = `The kubeconfig names the file ${file}, which cannot be read: give its contents.`;
    throw deployFailure(words, "config_invalid");
  };
  return {
    namespace,
    read,
    user,
    server: cluster.server,
    tls: await tlsOf(cluster, read),
    proxyEnv: proxyEnv(cluster["proxy-url"], job.agent.networkEnv),
  };
}

/** The trusted certificates and the server name of this cluster. */
export async function tlsOf(
  cluster: ReadKubeconfig["cluster"],
  read: (file: string) => Promise<string>,
): Promise<ClusterAccess["tls"]> {
  const { "certificate-authority-data": data, "certificate-authority": caFile } = cluster;
  const ca = await inlineOr(data, caFile, read);
  return {
    ...(ca && { ca }),
    ...(cluster["tls-server-name"] && { servername: cluster["tls-server-name"] }),
    ...(cluster["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
  };
}

/** The proxy of the cluster, else those of the host. */
export function proxyEnv(
  url: string | null | undefined,
  networkEnv: Readonly<Record<string, string>>,
): Record<string, string> {
  if (url) return { http_proxy: url, https_proxy: url };
  const isProxy = /^(?:https?|no)_proxy$/;
  return Object.fromEntries(Object.entries(networkEnv).filter(([name]) => isProxy.test(name)));
}

/** The cluster of the pod that this process runs in. Throws JobFailure outside of a pod. */
export async function ofPod(
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundCluster> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const [ca, namespace] = await Promise.all(
    ["ca.crt", "namespace"].map((name) => readFile(path.join(inPod, name), "utf8").catch(() => "")),
  );
  if (!host || !ca) {
    throw deployFailure(
      "The plan names no cluster, and the agent's host has none. Name one: with svc by --kubeconfig or --context, in a plan by cluster_info.",
      "config_invalid",
    );
  }
  const at = host.includes(":") ? `[${host}]` : host;
  return {
    namespace: namespace || "default",
    server: `https://${at}:${port ?? "443"}`,
    tls: { ca },
    proxyEnv: {},
    user: { tokenFile: path.join(inPod, "token") },
    read: async (file) => await readFile(file, "utf8"),
  };
}
