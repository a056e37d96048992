import { writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { testFolder } from "../run/folder.ts";
import { givenCluster, type Kubectl } from "./given-cluster.ts";

type Kubeconfig = {
  clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  users: { user: { token: string } }[];
};

/** The cluster, what a customer says of it, and a namespace that an example calls so. */
export async function givenExampleNamespace(namespace: string) {
  const { kubectl: all, kubeconfig } = await givenCluster();
  const text = await all(["config", "view", "--raw", "--flatten", "--minify", "-o", "json"]);
  const { clusters, users } = JSON.parse(text) as Kubeconfig; // kubectl wrote it
  const remove = ["delete", "namespace", namespace, "--wait=false", "--ignore-not-found"];
  onTestFinished(async () => void (await all(remove)));
  const kubectl: Kubectl = async (args) => (await all([...args, "-n", namespace])).trim();
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  const tokenFile = path.join(await testFolder(), "token");
  await writeFile(tokenFile, users[0]?.user.token ?? "", { mode: 0o600 });
  return { kubectl, kubeconfig, server, ca, tokenFile };
}
