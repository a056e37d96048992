import { z } from "zod";
import { awsAuth, azureAuth, gcpAuth } from "./cloud-auth.ts";
import { clusterInfo } from "./cluster-info.ts";
import { flag, sandboxMode, text, texts } from "./plan-members.ts";

/** What the value of a secret has to look like in its store. */
export const secretFormats = ["default", "base64", "json"] as const;
export type SecretFormat = (typeof secretFormats)[number];

const target = z.looseObject({ key: text, name: text, namespaces: texts });

const secret = z.looseObject({
  /** What the app calls it. */
  secret_name: text,
  // Where it is: one of the three.
  secret_arn: text,
  gcp_secret_name: text,
  azure_key_vault_secret_id: text,
  format: text,
  // Where it is written to; the targets count where there are any.
  namespace: text,
  name: text,
  key_name: text,
  targets: z.array(target).nullish(),
  // What follows is ours.
  /** A job whose secret is not there fails. */
  required: flag,
  /** A value is made in the store where there is none. */
  auto_generate: flag,
});
export type SecretMember = z.infer<typeof secret>;

/** Secrets that are copied from the stores of a customer's cloud into a cluster. */
export const syncSecretsPlan = z.looseObject({
  kubernetes_secrets: z.array(secret).nullish(),
  cluster_info: clusterInfo,
  aws_auth: awsAuth,
  azure_auth: azureAuth,
  gcp_auth: gcpAuth,
  sandbox_mode: sandboxMode,
  // What follows is ours.
  /** Takes over keys that others manage. */
  force_conflicts: flag,
  /** The host's own cluster is meant, also where a cloud's stores are read. */
  host_cluster: flag,
  /** Nanoseconds. */
  timeout: z.number().nullish(),
});
export type SyncSecretsPlan = z.infer<typeof syncSecretsPlan>;
