import type { CloudEnv } from "./ask-cloud.ts";
import { type AzureIdentity, azureToken } from "./azure-token.ts";
import type { ClusterToken } from "./eks-token.ts";

/** The application id of all AKS clusters with Entra ID. */
const aksServer = "6dae42f8-4368-4678-94ff-3960e28e3630";

/** Gets a token for an AKS cluster. */
export async function aksToken(env: CloudEnv, identity: AzureIdentity): Promise<ClusterToken> {
  return await azureToken(env, identity, aksServer);
}
