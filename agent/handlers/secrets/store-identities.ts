import type { GcpAuthMember } from "../../../shared/plans/cloud-auth.ts";
import type { SyncSecretsPlan } from "../../../shared/plans/sync-secrets-plan.ts";
import type { AwsIdentity } from "../../credentials/aws-identity.ts";
import type { AzureIdentity } from "../../credentials/azure-token.ts";
import { isGiven } from "../../credentials/is-given.ts";
import { readAwsAuth } from "../../credentials/read-aws-auth.ts";
import { readAzureAuth } from "../../credentials/read-azure-auth.ts";
import { isRegion } from "../../credentials/regions.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import type { SecretPlace } from "./secret-place.ts";
import type { WantedSecret } from "./wanted-secret.ts";

/** Google's account of the host or that of a key, or one in whose name it acts. */
export type GoogleIdentity = { readonly key?: string; readonly account?: string };

/** Who reads the stores of a plan, by cloud; of each that it names a secret of there is one. */
export type StoreIdentities = {
  readonly aws?: AwsIdentity;
  readonly gcp?: GoogleIdentity;
  readonly azure?: AzureIdentity;
};

/**
 * Reads who asks the stores that a plan's secrets are in. Throws JobFailure where the plan names nobody: what the host may
 * read is not for every plan, so the host's own identity has to be asked for.
 */
export function storeIdentities(
  { aws_auth, gcp_auth, azure_auth }: SyncSecretsPlan,
  secrets: readonly WantedSecret[],
): StoreIdentities {
  const places = secrets.flatMap(({ place }) => place ?? []);
  const inAws = places.find((one) => one.cloud === "aws");
  const asks = (cloud: SecretPlace["cloud"]): boolean => places.some((one) => one.cloud === cloud);
  return {
    ...(inAws && { aws: readAwsAuth(given(aws_auth, "aws_auth"), "aws_auth", inAws.region) }),
    ...(asks("gcp") && { gcp: readGoogleAuth(given(gcp_auth, "gcp_auth"), "gcp_auth") }),
    ...(asks("azure") && {
      azure: readAzureAuth(given(azure_auth, "azure_auth"), "azure_auth"),
    }),
  };
}

function given<T extends object>(auth: T | null | undefined, name: string): T {
  if (auth != null && isGiven(auth)) return auth;
  const own = name === "gcp_auth" ? "its project_id" : "its use_default";
  throw invalidPlan(
    `${name} is missing: it says who reads the secrets there. For the host's own identity set ${own}`,
  );
}

/** The Google identity that a member of a plan names. Throws JobFailure. */
export function readGoogleAuth(auth: GcpAuthMember, name: string): GoogleIdentity {
  if (auth.region && !isRegion(auth.region))
    throw invalidPlan(`${name}.region must be 1 to 64 lower-case letters, digits and -`);
  const key = auth.service_account_key ?? auth.credentials;
  const account = auth.impersonate_service_account;
  return {
    ...(key && { key: typeof key === "string" ? key : JSON.stringify(key) }),
    ...(account && { account }),
  };
}
