import { readFile } from "node:fs/promises";
import { z } from "zod";
import { aksToken } from "./aks-token.ts";
import type { CloudEnv } from "./ask-cloud.ts";
import { awsKeysOf } from "./aws-identity.ts";
import { type ClusterToken, eksToken } from "./eks-token.ts";
import { gkeToken } from "./gke-token.ts";
import { googleAccountToken } from "./google-account-token.ts";

/** The identity of a job for a cluster, and the cluster's cloud. */
export const clusterIdentity = z.discriminatedUnion("cloud", [
  z.object({
    cloud: z.literal("aws"),
    cluster: z.string(),
    region: z.string(),
    /** The file of its AWS identity. */
    identityFile: z.string(),
  }),
  z.object({
    cloud: z.literal("gcp"),
    key: z.string().optional(),
    /** The account in whose name that one asks. */
    account: z.string().optional(),
  }),
  z.object({
    cloud: z.literal("azure"),
    tenantId: z.string().optional(),
    clientId: z.string().optional(),
    clientSecret: z.string().optional(),
    usesMachine: z.boolean().optional(),
  }),
]);
export type ClusterIdentity = z.infer<typeof clusterIdentity>;

/** Gets a token for the cluster in a file from its cloud. Throws CredentialFault. */
export async function clusterToken(file: string, env: CloudEnv): Promise<ClusterToken> {
  const identity = clusterIdentity.parse(JSON.parse(await readFile(file, "utf8")));
  if (identity.cloud === "gcp") return await googleToken(env, identity);
  if (identity.cloud === "azure") return await aksToken(env, identity);
  return eksToken(env, await awsKeysOf(identity.identityFile, env), identity);
}

/** Tokens in the name of another account are good for an hour. */
const accountTokenMs = 55 * 60_000;

async function googleToken(
  env: CloudEnv,
  { key, account }: Extract<ClusterIdentity, { readonly cloud: "gcp" }>,
): Promise<ClusterToken> {
  if (account === undefined) return await gkeToken(env, key);
  const token = await googleAccountToken(env, account, key);
  return { token, expiresAtMs: Date.now() + accountTokenMs };
}
