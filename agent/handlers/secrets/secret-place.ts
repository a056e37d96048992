import {
  awsSecretArn,
  azureSecretId,
  googleSecretName,
} from "../../../shared/plans/secret-places.ts";
import type { SecretMember } from "../../../shared/plans/sync-secrets-plan.ts";
import { awsRegionWords, isAwsRegion, isRegion } from "../../credentials/regions.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";

/** Where a secret is: in one of its customer's own stores, at a host of their cloud and at no other. */
export type SecretPlace =
  | { readonly cloud: "aws"; readonly arn: string; readonly region: string }
  | {
      readonly cloud: "gcp";
      /** projects/PROJECT/secrets/NAME, with a location where the secret is in one alone. */
      readonly name: string;
      readonly host: string;
      readonly version: string;
    }
  | {
      readonly cloud: "azure";
      readonly origin: string;
      readonly name: string;
      /** Empty: the newest. */
      readonly version: string;
      readonly vaults: AzureVaults;
    };

/** The vaults of one of Azure's clouds: their domain, what tokens for them are asked for, and who gives these. */
export type AzureVaults = {
  readonly domain: string;
  readonly resource: string;
  readonly authority: string;
};

const azureClouds: readonly AzureVaults[] = [
  {
    domain: "vault.azure.net",
    resource: "https://vault.azure.net",
    authority: "https://login.microsoftonline.com",
  },
  {
    domain: "vault.azure.cn",
    resource: "https://vault.azure.cn",
    authority: "https://login.chinacloudapi.cn",
  },
  {
    domain: "vault.usgovcloudapi.net",
    resource: "https://vault.usgovcloudapi.net",
    authority: "https://login.microsoftonline.us",
  },
];

/**
 * Where a secret of a plan is; undefined where the plan does not say so. Throws JobFailure for what is no place in a store of
 * a cloud, for whatever else the plan names must not get hold of the identity.
 */
export function secretPlace(
  member: SecretMember,
  name: string,
  project: string | null | undefined,
): SecretPlace | undefined {
  const { secret_arn, gcp_secret_name, azure_key_vault_secret_id } = member;
  const given = { secret_arn, gcp_secret_name, azure_key_vault_secret_id };
  const named = Object.entries(given).filter(([, value]) => value);
  if (named.length > 1) {
    const words = named.map(([one]) => one).join(", ");
    throw invalidPlan(`${name} names several places (${words}): keep one`);
  }
  if (secret_arn) return awsPlace(secret_arn, `${name}.secret_arn`);
  if (gcp_secret_name) return googlePlace(gcp_secret_name, `${name}.gcp_secret_name`, project);
  if (!azure_key_vault_secret_id) return undefined;
  return azurePlace(azure_key_vault_secret_id, `${name}.azure_key_vault_secret_id`);
}

function awsPlace(arn: string, name: string): SecretPlace {
  const [, region] = awsSecretArn.exec(arn) ?? [];
  if (region === undefined)
    throw invalidPlan(
      `${name} must be an ARN of Secrets Manager: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME`,
    );
  if (!isAwsRegion(region)) throw invalidPlan(`the region of ${name} ${awsRegionWords}`);
  return { cloud: "aws", arn, region };
}

function googlePlace(given: string, name: string, project: string | null | undefined): SecretPlace {
  const isShort = !given.includes("/");
  if (isShort && !project)
    throw invalidPlan(
      `${name} names no project: write projects/PROJECT/secrets/NAME, or set gcp_auth.project_id`,
    );
  const [, whole, location, version = "latest"] =
    googleSecretName.exec(isShort ? `projects/${project}/secrets/${given}` : given) ?? [];
  if (whole === undefined || (location !== undefined && !isRegion(location)))
    throw invalidPlan(
      `${name} must be a secret of Secret Manager: NAME, or projects/PROJECT/secrets/NAME, with /locations/LOCATION and /versions/VERSION where they are meant`,
    );
  const host =
    location === undefined
      ? "secretmanager.googleapis.com"
      : `secretmanager.${location}.rep.googleapis.com`;
  return { cloud: "gcp", name: whole, host, version };
}

function azurePlace(id: string, at: string): SecretPlace {
  const [, domain = "", name = "", version = ""] = azureSecretId.exec(id) ?? [];
  const vaults = azureClouds.find((one) => one.domain === domain.toLowerCase());
  if (vaults === undefined)
    throw invalidPlan(
      `${at} must be https://VAULT.vault.azure.net/secrets/NAME, with /VERSION where one is meant; other clouds: ${otherDomains}`,
    );
  return { cloud: "azure", origin: new URL(id).origin, name, version, vaults };
}

/** Its name in its cloud, without a version. */
export function placeWords(place: SecretPlace): string {
  if (place.cloud === "aws") return place.arn;
  return place.cloud === "gcp" ? place.name : `${place.origin}/secrets/${place.name}`;
}

const otherDomains = azureClouds
  .slice(1)
  .map(({ domain }) => domain)
  .join(", ");
