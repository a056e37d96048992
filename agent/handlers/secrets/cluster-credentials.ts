import type { ClusterInfoMember } from "../../../shared/plans/cluster-info.ts";
import type { SyncSecretsPlan } from "../../../shared/plans/sync-secrets-plan.ts";
import { isGiven } from "../../credentials/is-given.ts";
import { readAwsAuth } from "../../credentials/read-aws-auth.ts";
import { readAzureAuth } from "../../credentials/read-azure-auth.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { readGoogleAuth } from "./store-identities.ts";

const usualRegion = "us-east-1";

/**
 * The cluster of a plan and who signs in there: whom `cluster_info` names, else whom the plan names. Throws JobFailure for
 * what this agent cannot be, and for a cluster of a cloud where nobody is named: the host's own identity is not sent there.
 */
export function clusterCredentials(plan: SyncSecretsPlan): Credentials {
  const info = plan.cluster_info ?? {};
  const isOwn = [info.aws_auth, info.gcp_auth, info.azure_auth].some(isGiven);
  const { aws_auth, gcp_auth, azure_auth } = isOwn ? info : plan;
  const name = (member: string): string => (isOwn ? `cluster_info.${member}` : member);
  const clouds = {
    ...(isGiven(aws_auth) && { aws_auth: awsMember(aws_auth ?? {}, name("aws_auth"), info) }),
    ...(isGiven(gcp_auth) && { gcp_auth: googleMember(gcp_auth ?? {}, name("gcp_auth")) }),
    ...(isGiven(azure_auth) && { azure_auth: azureMember(azure_auth ?? {}, name("azure_auth")) }),
  };
  const { endpoint, token, kube_config, kubeconfig, trusted_role_arn } = info;
  if (trusted_role_arn && !isGiven(aws_auth))
    throw invalidPlan("cluster_info.trusted_role_arn is set without aws_auth, which takes it on");
  const isComplete = Boolean(token || kube_config || kubeconfig);
  if (endpoint && !isComplete && Object.keys(clouds).length === 0)
    throw invalidPlan(
      "cluster_info.endpoint is set, and nobody who signs in there: set its token, kube_config, or aws_auth, gcp_auth or azure_auth",
    );
  const isCloud = [plan.aws_auth, plan.gcp_auth, plan.azure_auth].some(isGiven) || isOwn;
  if (isCloud && !endpoint && !kube_config && !kubeconfig && plan.host_cluster !== true)
    throw invalidPlan(
      "cluster_info is missing: a plan of a cloud names its cluster (endpoint or kube_config), or says by host_cluster that the host's own is meant",
    );
  return readCredentials({ ...clouds, cluster_info: plan.cluster_info });
}

/** In the words in which clusters' plugins read it. */
function awsMember(
  auth: NonNullable<SyncSecretsPlan["aws_auth"]>,
  name: string,
  { region: ofCluster, trusted_role_arn }: ClusterInfoMember,
): Credentials["aws_auth"] {
  const { region, keys, byToken, roles } = readAwsAuth(auth, name, ofCluster || usualRegion);
  const last = trusted_role_arn && roles.at(-1)?.roleArn !== trusted_role_arn;
  const member = (role: (typeof roles)[number]) => ({
    role_arn: role.roleArn,
    session_name: role.sessionName,
    external_id: role.externalId,
  });
  return {
    ...((auth.region || ofCluster) && { region }),
    ...(keys && {
      static: {
        access_key_id: keys.accessKeyId,
        secret_access_key: keys.secretAccessKey,
        session_token: keys.sessionToken,
      },
    }),
    ...(byToken && { web_identity: { ...member(byToken), token: byToken.token } }),
    assume_roles: [...roles.map(member), ...(last ? [{ role_arn: trusted_role_arn }] : [])],
  };
}

function googleMember(
  auth: NonNullable<SyncSecretsPlan["gcp_auth"]>,
  name: string,
): Credentials["gcp_auth"] {
  const { key, account } = readGoogleAuth(auth, name);
  const { project_id, region } = auth;
  return { project_id, region, service_account_key: key, impersonate_service_account: account };
}

function azureMember(
  auth: NonNullable<SyncSecretsPlan["azure_auth"]>,
  name: string,
): Credentials["azure_auth"] {
  const { tenantId, clientId, clientSecret, usesMachine } = readAzureAuth(auth, name);
  return {
    subscription_id: auth.subscription_id,
    tenant_id: tenantId,
    client_id: clientId,
    client_secret: clientSecret,
    use_msi: usesMachine,
  };
}
