import type { CloudEnv } from "../../credentials/ask-cloud.ts";
import { keysOfIdentity } from "../../credentials/aws-identity.ts";
import { type AzureIdentity, azureToken } from "../../credentials/azure-token.ts";
import { googleAccountToken } from "../../credentials/google-account-token.ts";
import { openAwsStore } from "./aws-store.ts";
import { openAzureStore } from "./azure-store.ts";
import { openGoogleStore } from "./google-store.ts";
import type { AzureVaults, SecretPlace } from "./secret-place.ts";
import type { SecretStore, StoreCaller } from "./secret-store.ts";
import type { GoogleIdentity, StoreIdentities } from "./store-identities.ts";

/** The store of a secret, by where that is. */
export type OpenStore = (place: SecretPlace) => SecretStore;

/** Opens stores by the identities of a plan; each signs in once, however many secrets are read. */
export function makeStoreOpener(
  caller: StoreCaller,
  { aws, gcp, azure }: StoreIdentities,
): OpenStore {
  const { env } = caller;
  const awsKeys = once(aws, async (one) => await keysOfIdentity(one, env));
  const googleToken = once(gcp, async (one) => await tokenOf(one, env));
  const byVaults = new Map<AzureVaults, () => Promise<string>>();
  const vaultToken = (vaults: AzureVaults): (() => Promise<string>) => {
    const known =
      byVaults.get(vaults) ?? once(azure, async (one) => await tokenFor(vaults, one, env));
    byVaults.set(vaults, known);
    return known;
  };
  return (place) => {
    if (place.cloud === "aws") return openAwsStore(caller, place, awsKeys);
    if (place.cloud === "gcp") return openGoogleStore(caller, place, googleToken);
    return openAzureStore(caller, place, vaultToken(place.vaults));
  };
}

const tokenOf = async ({ account, key }: GoogleIdentity, env: CloudEnv): Promise<string> =>
  await googleAccountToken(env, account, key);

/** Tokens for a sovereign cloud come from its own authority, unless the environment names one. */
async function tokenFor(
  { authority, resource }: AzureVaults,
  identity: AzureIdentity,
  env: CloudEnv,
): Promise<string> {
  const at = { ...env, AZURE_AUTHORITY_HOST: env["AZURE_AUTHORITY_HOST"] || authority };
  return (await azureToken(at, identity, resource)).token;
}

/** Asks when it is first needed, and then never again. */
function once<I, T>(identity: I | undefined, ask: (identity: I) => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return async () => {
    if (identity === undefined) throw new Error("the plan was read without this identity");
    return await (asked ??= ask(identity));
  };
}
