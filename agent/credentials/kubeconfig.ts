import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../job-users/job-files.ts";
import type { ClusterIdentity } from "./cluster-identity.ts";
import { writeAwsIdentity } from "./job-aws-identity.ts";
import type { ClusterInfo, Credentials } from "./read-credentials.ts";

type Place = {
  readonly folder: string;
  readonly owner: FileOwner;
  /** The job's identity for the cluster's cloud; the host's by default. */
  readonly clouds?: Pick<Credentials, "aws_auth" | "azure_auth" | "gcp_auth">;
};

/**
 * Writes the kubeconfig of a plan's `cluster_info` to memory, 0600, and returns the variable that points to it
 * (`env_vars` of the plan pass the same filter as its others). A complete kubeconfig is used unchanged. Otherwise one
 * is made of endpoint, certificate and token or, without a token, with `svc-agent kube-token` as a plugin, which gets
 * tokens from the cluster's cloud whenever they expire.
 */
export async function writeKubeconfig(
  info: ClusterInfo | null | undefined,
  place: Place,
): Promise<Record<string, string>> {
  if (info == null) return {};
  const contents = info.kube_config || info.kubeconfig || (await made(info, place));
  if (contents === undefined) return {};
  const file = path.join(place.folder, "kubeconfig");
  await writeJobFileOnce(file, contents, place.owner);
  return { KUBECONFIG: file };
}

/** JSON is YAML. */
async function made(info: ClusterInfo, place: Place): Promise<string | undefined> {
  const { id, endpoint, ca_data, token } = info;
  if (!endpoint) return undefined;
  const name = id || "cluster";
  const user = token ? { token } : { exec: await execOf(info, name, place) };
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

async function execOf(info: ClusterInfo, name: string, place: Place): Promise<object> {
  const apiVersion = "client.authentication.k8s.io/v1";
  const profile = place.clouds?.aws_auth?.profile;
  if (cloudOf(info, place) === "aws" && profile) {
    // Only the AWS CLI supports all kinds of profiles that the host may have.
    const args = ["eks", "get-token", "--cluster-name", name, "--output", "json"];
    const beta = "client.authentication.k8s.io/v1beta1";
    return { apiVersion: beta, command: "aws", args, interactiveMode: "Never" };
  }
  const file = path.join(place.folder, "kube-token.json");
  const identity = await identityOf(info, name, place);
  await writeJobFileOnce(file, JSON.stringify(identity), place.owner);
  return {
    apiVersion,
    command: "svc-agent",
    args: ["kube-token", file],
    interactiveMode: "Never",
    provideClusterInfo: false,
  };
}

async function identityOf(info: ClusterInfo, name: string, place: Place): Promise<ClusterIdentity> {
  const { aws_auth, azure_auth, gcp_auth } = place.clouds ?? {};
  const cloud = cloudOf(info, place);
  if (cloud === "gcp") {
    const key = gcp_auth?.service_account_key ?? gcp_auth?.credentials;
    const account = gcp_auth?.impersonate_service_account;
    return {
      cloud,
      ...(key && { key: typeof key === "string" ? key : JSON.stringify(key) }),
      ...(account && { account }),
    };
  }
  if (cloud === "azure") {
    const { tenant_id, client_id, client_secret, use_msi } = azure_auth ?? {};
    return {
      cloud,
      ...(tenant_id && { tenantId: tenant_id }),
      ...(client_id && { clientId: client_id }),
      ...(client_secret && { clientSecret: client_secret }),
      ...(use_msi === true && { usesMachine: true }),
    };
  }
  const region = info.region || regionIn(info.endpoint ?? "") || aws_auth?.region || "us-east-1";
  const identityFile = await writeAwsIdentity(aws_auth, aws_auth?.region || region, place);
  return { cloud, cluster: name, region, identityFile };
}

/** The cloud that the plan names, else by the endpoint's host name, else the only one with credentials. */
function cloudOf({ cloud, endpoint }: ClusterInfo, { clouds }: Place): ClusterIdentity["cloud"] {
  if (cloud) return cloud;
  const host = URL.canParse(endpoint ?? "") ? new URL(endpoint ?? "").hostname : "";
  if (/\.eks\.amazonaws\.com(?:\.cn)?$/.test(host)) return "aws";
  if (/\.azmk8s\.io$|\.cx\.prod\.service\.azk8s\.cn$/.test(host)) return "azure";
  if (host.endsWith(".gke.goog")) return "gcp";
  if (clouds?.aws_auth) return "aws";
  if (clouds?.gcp_auth) return "gcp";
  return clouds?.azure_auth ? "azure" : "aws";
}

const regionIn = (endpoint: string): string =>
  /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/.exec(endpoint)?.[1] ?? "";
