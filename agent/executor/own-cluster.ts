import { readFile } from "node:fs/promises";
import { networkOfChildren } from "../client/network.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import { type FoundCluster, ofPod, proxyEnv, tlsOf } from "../kubernetes/cluster-access.ts";
import { type Cluster, clusterOf } from "../kubernetes/cluster.ts";
import { type KubeApi, openKubeApi } from "../kubernetes/kube-api.ts";
import { kubeLogin } from "../kubernetes/kube-login.ts";
import { readKubeconfigs } from "../kubernetes/read-kubeconfigs.ts";
import type { ExitName } from "../shutdown/exit-codes.ts";

/** The cluster in which an agent's jobs run as pods. */
export type OwnCluster = {
  readonly api: KubeApi;
  readonly cluster: Cluster;
  /** The namespace of the Jobs. */
  readonly namespace: string;
};

/**
 * The exit code of an agent that the cluster did not let start: whether another start may succeed with nothing
 * changed.
 */
export const exitFor = (error: unknown): ExitName =>
  [403, 404, 422].some((status) => isRefusal(error, status)) ? "config" : "unreachable";

/**
 * Opens the cluster of $KUBECONFIG, or the one in which the agent's pod runs. Throws an ExitError that says what is
 * wrong.
 */
export async function openOwnCluster(
  config: AgentConfig,
  signal: AbortSignal,
): Promise<OwnCluster> {
  try {
    const file = config.env["KUBECONFIG"] ?? "";
    const found = file === "" ? await ofPod(config.env) : await ofFiles(file, config);
    const { namespace: usual, user, read, ...where } = found;
    const login = async () =>
      await kubeLogin(user, { readFile: read, askPlugin: async () => await refusePlugin(file) });
    const api = openKubeApi({ ...where, login }, signal);
    const namespace = config.executorNamespace ?? usual;
    return { api, cluster: clusterOf(api, namespace), namespace };
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    const words = /names no cluster/.test(error.message)
      ? "the agent does not run in a pod, and KUBECONFIG is not set"
      : error.message.replace(/\.$/, "");
    throw new ExitError("config", `executor = kubernetes needs a cluster: ${words}.`, error);
  }
}

/** Reads the files of KUBECONFIG. Of several, separated by colons, missing ones are skipped, as in other tools. */
async function ofFiles(files: string, config: AgentConfig): Promise<FoundCluster> {
  const isOne = !files.includes(":");
  const textOf = async (file: string): Promise<string> =>
    await readFile(file, "utf8").catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" && !isOne) return "";
      throw new ExitError("config", `The kubeconfig ${file} cannot be read (${code}).`);
    });
  const found = await readKubeconfigs(files, textOf);
  if (found === undefined) {
    throw new ExitError("config", `KUBECONFIG names no kubeconfig with any contents: ${files}.`);
  }
  const { cluster, user, namespace } = found;
  if (user.exec != null) await refusePlugin(files);
  const tls = await tlsOf(cluster, read);
  const proxies = proxyEnv(cluster["proxy-url"], networkOfChildren(config));
  return { namespace, user, read, server: cluster.server, tls, proxyEnv: proxies };
}

const read = async (file: string): Promise<string> => await readFile(file, "utf8");

/** A plugin would run as the user of a job, and there is no job here. */
async function refusePlugin(file: string): Promise<never> {
  const words = `The kubeconfig ${file} has a plugin, which the executor does not run`;
  const error = new ExitError("config", `${words}: give it a token or certificates.`);
  return await Promise.reject(error);
}
