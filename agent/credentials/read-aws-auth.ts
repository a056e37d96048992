import type { AwsAuthMember } from "../../shared/plans/cloud-auth.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import type { AwsIdentity } from "./aws-identity.ts";
import { isGiven } from "./is-given.ts";
import { awsIdentityOf } from "./job-aws-identity.ts";
import { awsRegionWords, isAwsRegion } from "./regions.ts";
import type { AwsRole } from "./sts.ts";

const usualSession = "svc-job";

/**
 * The AWS identity that a member of a plan names; its roles are taken on in its own region, else in `region`. Throws
 * JobFailure for what this agent cannot be: the host's own identity never takes its place.
 */
export function readAwsAuth(auth: AwsAuthMember, name: string, region: string): AwsIdentity {
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
  if (auth.region && !isAwsRegion(auth.region))
    throw invalidPlan(`${name}.region ${awsRegionWords}`);
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
  return { region: identity.region, roles, ...(keys && { keys }), ...(byToken && { byToken }) };
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
