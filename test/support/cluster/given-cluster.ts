import { execFile } from "node:child_process";
import path from "node:path";
import { inject } from "vitest";
import { tool } from "../../tools/find-tool.ts";

export type Cluster = {
  /** The file of an administrator. */
  readonly kubeconfig: string;
  /** Runs kubectl as that administrator and gives what it printed; fails with what it complained of. */
  readonly kubectl: Kubectl;
};

export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** The run's cluster, started by the first who asks; SVC_TEST_KUBECONFIG names another in its place. */
export async function givenCluster(): Promise<Cluster> {
  const kubeconfig = process.env["SVC_TEST_KUBECONFIG"] ?? (await askForCluster());
  return { kubeconfig, kubectl: kubectlAs(kubeconfig) };
}

/** What it takes to start a cluster of our own. */
export const ownClusterTools: readonly string[] = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
  "kubectl",
];

/** What a describeWithTools of tests with a cluster names. */
export const clusterTools: readonly string[] =
  process.env["SVC_TEST_KUBECONFIG"] === undefined ? ownClusterTools : ["kubectl"];

/** The kubectl of whoever this file is for. */
export function kubectlAs(kubeconfig: string): Kubectl {
  return async (args, input) =>
    await new Promise((resolve, reject) => {
      const cache = path.join(path.dirname(kubeconfig), "kubectl-cache");
      const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: cache };
      const child = execFile(tool("kubectl"), args, { env }, (error, out, err) => {
        if (error === null) resolve(out);
        else reject(new Error(`kubectl ${args.join(" ")}: ${err || error.message}`));
      });
      child.stdin?.on("error", () => {}); // it may have ended before: its end says how
      child.stdin?.end(input ?? "");
    });
}

async function askForCluster(): Promise<string> {
  const answer = await fetch(inject("clusterUrl"));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
