import type { AwsAuthMember, AzureAuthMember } from "../../shared/plans/cloud-auth.ts";
import type { RegistryMember } from "../../shared/plans/registry-member.ts";
import type { AwsIdentity } from "../credentials/aws-identity.ts";
import type { AzureIdentity } from "../credentials/azure-token.ts";
import { awsIdentityOf } from "../credentials/job-aws-identity.ts";
import { awsRegionWords, isAwsRegion } from "../credentials/regions.ts";
import type { AwsRole } from "../credentials/sts.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import { ecrRegion } from "./cloud-hosts.ts";
import { isGiven } from "./is-given.ts";

const usualSession = "svc-job";

/** The AWS identity of a registry, and the region of both. Throws JobFailure for what this agent cannot be. */
export function readAwsMember(
  { ecrauth, region: ofRegistry }: RegistryMember,
  name: string,
  host: string,
): { readonly identity: AwsIdentity; readonly region: string } {
  const auth = ecrauth ?? {};
  const role = auth.assume_role;
  const refused: readonly (readonly [string, unknown])[] = [
    ["profile", auth.profile],
    ["assume_role.use_gcp_oidc", role?.use_gcp_oidc],
    ["assume_role.use_github_oidc", role?.use_github_oidc],
  ];
  for (const [member, given] of refused) {
    if (given)
      throw invalidPlan(
        `${name}.${member} is not supported: use static, assume_role, web_identity or use_default`,
      );
  }
  for (const given of [auth.region, ofRegistry])
    if (given && !isAwsRegion(given)) throw invalidPlan(`${name}.region ${awsRegionWords}`);
  const region = ecrRegion(host);
  refuseHalves(auth, name);
  const identity = awsIdentityOf(auth, auth.region || region);
  const source = role?.two_step_config?.src_static_credentials;
  const first = keysOf(source, `${name}.assume_role.two_step_config.src_static_credentials`);
  const own = keysOf(auth.static, `${name}.static`);
  const keys = first ?? own;
  const roles = [...stepsOf(auth), ...identity.roles.map((one) => withDuration(one, auth))];
  const isNamed = Boolean(keys ?? identity.byToken ?? auth.use_default) || roles.length > 0;
  if (!isNamed)
    throw invalidPlan(
      `${name} names no identity: set static, assume_role, web_identity or use_default`,
    );
  const { byToken } = identity;
  return {
    region,
    identity: {
      region: identity.region,
      roles,
      ...(keys && { keys }),
      ...(byToken && { byToken }),
    },
  };
}

/** The host's own identity takes the place of no part of another one. */
function refuseHalves(auth: AwsAuthMember, name: string): void {
  const { web_identity: web, assume_role, assume_roles } = auth;
  if (web?.token_file) {
    throw invalidPlan(
      `${name}.web_identity.token_file is not supported, as no job's user reads it: use token`,
    );
  }
  if (web?.role_arn && !web.token) throw invalidPlan(`${name}.web_identity.token is missing`);
  const roles = Object.entries({ web_identity: web, assume_role, ...numbered(assume_roles ?? []) });
  for (const [member, role] of roles) {
    if (isGiven(role) && !role?.role_arn)
      throw invalidPlan(`${name}.${member}.role_arn is missing`);
  }
}

type GivenRole = Pick<NonNullable<AwsAuthMember["assume_role"]>, "role_arn">;

const numbered = (roles: readonly GivenRole[]): Record<string, GivenRole> =>
  Object.fromEntries(roles.map((role, at) => [`assume_roles[${at}]`, role]));

type Keys = NonNullable<AwsAuthMember["static"]>;

function keysOf(given: Keys | null | undefined, name: string): AwsIdentity["keys"] {
  const { access_key_id, secret_access_key, session_token } = given ?? {};
  if (!access_key_id && !secret_access_key && !session_token) return undefined;
  if (!access_key_id || !secret_access_key)
    throw invalidPlan(`${name} needs both access_key_id and secret_access_key`);
  return {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    ...(session_token && { sessionToken: session_token }),
  };
}

/** The roles between the first identity and the one that is meant. */
function stepsOf({ assume_role }: AwsAuthMember): AwsRole[] {
  const { src_iam_role_arn, iam_role_arn } = assume_role?.two_step_config ?? {};
  const sessionName = assume_role?.session_name || usualSession;
  return [src_iam_role_arn, iam_role_arn].flatMap((roleArn) =>
    roleArn ? [{ roleArn, sessionName }] : [],
  );
}

function withDuration(role: AwsRole, { assume_role }: AwsAuthMember): AwsRole {
  const seconds = assume_role?.session_duration_seconds;
  const isMeant = role.roleArn === assume_role?.role_arn && seconds != null && seconds > 0;
  return isMeant ? { ...role, durationSeconds: seconds } : role;
}

/** The Azure identity of a registry. Throws JobFailure for one that this agent cannot be. */
export function readAzureMember(auth: AzureAuthMember, name: string): AzureIdentity {
  const { managed_identity_client_id, service_principal, use_default, use_msi } = auth;
  const { tenant_id, client_id, client_secret } = auth;
  if (managed_identity_client_id)
    return { usesMachine: true, clientId: managed_identity_client_id };
  if (client_secret && (!client_id || !tenant_id))
    throw invalidPlan(`${name}.client_secret is set without client_id and tenant_id`);
  const { subscription_id, subscription_tenant_id } = service_principal ?? {};
  if (subscription_id || subscription_tenant_id) {
    throw invalidPlan(
      `${name}.service_principal is not supported, as it has no secret: use managed_identity_client_id, tenant_id and client_id, or use_default`,
    );
  }
  // Without a secret, the host has to prove that it may be that application.
  if (use_msi !== true && client_id && tenant_id) {
    return {
      tenantId: tenant_id,
      clientId: client_id,
      ...(client_secret && { clientSecret: client_secret }),
    };
  }
  if (use_msi === true) return { usesMachine: true, ...(client_id && { clientId: client_id }) };
  if (use_default === true)
    return { ...(tenant_id && { tenantId: tenant_id }), ...(client_id && { clientId: client_id }) };
  throw invalidPlan(
    `${name} names no identity: set managed_identity_client_id, tenant_id and client_id, use_msi or use_default`,
  );
}
