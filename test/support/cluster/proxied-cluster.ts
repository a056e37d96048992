import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type FaultProxy, faultProxy } from "../network/fault-proxy.ts";
import { testFolder } from "../run/folder.ts";

type Kubeconfig = {
  clusters: [{ cluster: { server: string; "certificate-authority-data"?: string } }];
};

/** The API server of a kubeconfig with a token, by way of a proxy that lets requests go wrong. */
export async function proxiedCluster(
  kubeconfig: string,
): Promise<{ readonly proxy: FaultProxy; readonly kubeconfig: string }> {
  const config = JSON.parse(await readFile(kubeconfig, "utf8")) as Kubeconfig; // ours, by kubeconfigFor
  const [{ cluster }] = config.clusters;
  const ca = Buffer.from(cluster["certificate-authority-data"] ?? "", "base64").toString();
  const proxy = await faultProxy(cluster.server, ca);
  config.clusters[0].cluster = { server: proxy.url };
  const file = path.join(await testFolder(), "kubeconfig");
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return { proxy, kubeconfig: file };
}
