import { makeStoreOpener } from "../../../agent/handlers/secrets/make-store-opener.ts";
import { secretPlace } from "../../../agent/handlers/secrets/secret-place.ts";
import type { SecretStore } from "../../../agent/handlers/secrets/secret-store.ts";
import type { StoreIdentities } from "../../../agent/handlers/secrets/store-identities.ts";
import type { SecretMember } from "../../../shared/plans/sync-secrets-plan.ts";
import {
  type CloudHosts,
  type HostAnswer,
  type HostRequest,
  startCloudHosts,
} from "../network/cloud-hosts.ts";
import { type AzureVaults, makeAzureVaults } from "./azure-vaults.ts";
import { type GoogleStores, makeGoogleStores } from "./google-stores.ts";

type Instead = (request: HostRequest) => HostAnswer | Promise<HostAnswer> | undefined;

/** Google's and Azure's stores at their own names. */
export type Stores = CloudHosts & {
  readonly google: GoogleStores;
  readonly azure: AzureVaults;
  /** What is asked of a host first, for faults; undefined: nobody. */
  instead: Instead | undefined;
};

/** Starts them for a file of tests. */
export async function startStores(): Promise<Stores> {
  const google = makeGoogleStores();
  const azure = makeAzureVaults();
  const hosts = await startCloudHosts(
    async (request) =>
      (await stores.instead?.(request)) ??
      google.answer(request) ??
      azure.answer(request) ?? { status: 502, body: `${request.host} is unknown here` },
  );
  const stores: Stores = { ...hosts, google, azure, instead: undefined };
  return stores;
}

/** One secret as the agent's own code reads it. */
export function openStoreOf(
  member: Partial<SecretMember>,
  identities: StoreIdentities,
  caller: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal?: AbortSignal;
  },
): SecretStore {
  const place = secretPlace(member, "it", "acme-1");
  if (place === undefined) throw new Error("it names no place");
  const { env, signal = new AbortController().signal } = caller;
  return makeStoreOpener({ env, signal }, identities)(place);
}
