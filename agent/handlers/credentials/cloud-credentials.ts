import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { AwsAuth, AzureAuth, Credentials, GcpAuth } from "./read-credentials.ts";

/** Where credentials go, and what the agent's own environment says of who its host is. */
type Place = {
  readonly folder: string;
  readonly owner?: FileOwner;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
};

/**
 * Writes the credentials of a plan into files in a folder in memory, 0600, where the clouds' tools look for them, and
 * answers the variables that lead there. Without any, tools find the host's own identity.
 */
export async function writeCloudCredentials(
  { aws_auth, azure_auth, gcp_auth }: Credentials,
  place: Place,
): Promise<Record<string, string>> {
  return {
    ...(aws_auth && (await writeAws(aws_auth, place))),
    ...(azure_auth && azureVariables(azure_auth)),
    ...(gcp_auth && (await writeGcp(gcp_auth, place))),
  };
}

async function writeAws(
  auth: AwsAuth,
  { folder, owner, hostEnv }: Place,
): Promise<Record<string, string>> {
  const keys = auth.static;
  const role = auth.assume_role?.role_arn;
  const credentials = keys?.access_key_id
    ? ini("svc", {
        aws_access_key_id: keys.access_key_id,
        aws_secret_access_key: keys.secret_access_key,
        aws_session_token: keys.session_token,
      })
    : "";
  const host = hostIdentity(hostEnv);
  const source = keys?.access_key_id ? { source_profile: "svc" } : host.source;
  const config = ini("profile job", {
    region: auth.region,
    ...(role && { role_arn: role, ...source }),
    role_session_name: role && (auth.assume_role?.session_name || "svc-job"),
    external_id: role && auth.assume_role?.external_id,
  });
  const [credentialsFile, configFile] = [path.join(folder, "aws"), path.join(folder, "aws-config")];
  await writeJobFileOnce(credentialsFile, credentials, owner);
  await writeJobFileOnce(configFile, `${config}\n[profile svc]\n${host.profile}`, owner);
  const profile = role ? "job" : keys?.access_key_id ? "svc" : auth.profile;
  return {
    ...(auth.region && { AWS_REGION: auth.region, AWS_DEFAULT_REGION: auth.region }),
    ...(profile && { AWS_PROFILE: profile }),
    ...(profile && profile !== auth.profile
      ? { AWS_SHARED_CREDENTIALS_FILE: credentialsFile, AWS_CONFIG_FILE: configFile }
      : {}),
    AWS_SDK_LOAD_CONFIG: "1",
  };
}

type HostIdentity = {
  /** How a role names it as its source. */
  readonly source: Readonly<Record<string, string>>;
  /** A profile that is needed for that. */
  readonly profile: string;
};

/** Who the host is to AWS: a pod by its token, a container by its own address, a machine by its metadata. */
function hostIdentity(env: Place["hostEnv"]): HostIdentity {
  const tokenFile = env["AWS_WEB_IDENTITY_TOKEN_FILE"];
  const role = env["AWS_ROLE_ARN"];
  if (tokenFile && role) {
    const members = { role_arn: role, web_identity_token_file: tokenFile };
    return { source: { source_profile: "host" }, profile: ini("profile host", members) };
  }
  const isContainer =
    env["AWS_CONTAINER_CREDENTIALS_FULL_URI"] ?? env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const credential_source = isContainer ? "EcsContainer" : "Ec2InstanceMetadata";
  return { source: { credential_source }, profile: "" };
}

function ini(
  section: string,
  members: Readonly<Record<string, string | null | undefined>>,
): string {
  const lines = Object.entries(members)
    .filter(([, value]) => value != null && value !== "")
    .map(([name, value]) => `${name} = ${value?.replaceAll(/[\r\n]/g, "")}`);
  return `[${section}]\n${lines.join("\n")}\n`;
}

/** Azure's tools read their environment only. */
function azureVariables(auth: AzureAuth): Record<string, string> {
  const told: Record<string, string> = {};
  for (const [member, value] of Object.entries({
    SUBSCRIPTION_ID: auth.subscription_id,
    TENANT_ID: auth.tenant_id,
    CLIENT_ID: auth.client_id,
    CLIENT_SECRET: auth.client_secret,
  })) {
    if (!value) continue;
    told[`ARM_${member}`] = value;
    told[`AZURE_${member}`] = value;
  }
  return auth.use_msi === true ? { ...told, ARM_USE_MSI: "true" } : told;
}

async function writeGcp(auth: GcpAuth, { folder, owner }: Place): Promise<Record<string, string>> {
  const key = auth.service_account_key ?? auth.credentials;
  const project = auth.project_id;
  const told: Record<string, string> = {
    ...(project && { GOOGLE_CLOUD_PROJECT: project, CLOUDSDK_CORE_PROJECT: project }),
    ...(auth.region && { CLOUDSDK_COMPUTE_REGION: auth.region }),
  };
  if (!key) return told;
  const file = path.join(folder, "gcp.json");
  await writeJobFileOnce(file, typeof key === "string" ? key : JSON.stringify(key), owner);
  return {
    ...told,
    GOOGLE_APPLICATION_CREDENTIALS: file,
    CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE: file,
  };
}
