import type { CloudEnv } from "./ask-cloud.ts";
import { type AwsKeys, presignedUrl } from "./sign-v4.ts";
import { stsUrl } from "./sts.ts";

/** A cluster's token, and until when it is good. */
export type ClusterToken = { readonly token: string; readonly expiresAtMs: number };

const urlSeconds = 60;
/** EKS takes one for a quarter of an hour from its signature on. */
const goodForMs = 14 * 60_000;

/** A token for an EKS cluster: a signed question to STS of who we are, which the cluster asks for us. */
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
