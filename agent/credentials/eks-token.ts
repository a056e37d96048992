import type { CloudEnv } from "./ask-cloud.ts";
import { type AwsKeys, presignedUrl } from "./sign-v4.ts";
import { stsUrl } from "./sts.ts";

/** A token for a cluster, and its expiry. */
export type ClusterToken = { readonly token: string; readonly expiresAtMs: number };

const urlSeconds = 60;
/** EKS accepts a token for 15 minutes after it was signed. */
const goodForMs = 14 * 60_000;

/** Makes a token for an EKS cluster: a signed GetCallerIdentity request, which the cluster sends to STS. */
export function eksToken(
  env: CloudEnv,
  keys: AwsKeys,
  { cluster, region }: { readonly cluster: string; readonly region: string },
): ClusterToken {
  const atMs = Date.now();
  const url = new URL(stsUrl(env, region));
  url.search = "Action=GetCallerIdentity&Version=2011-06-15";
  const request = { url, headers: { "x-k8s-aws-id": cluster }, expiresSeconds: urlSeconds };
  const signed = presignedUrl(request, keys, { region, service: "sts", atMs });
  const token = `k8s-aws-v1.${Buffer.from(signed).toString("base64url")}`;
  return { token, expiresAtMs: Math.min(atMs + goodForMs, keys.expiresAtMs ?? Infinity) };
}
