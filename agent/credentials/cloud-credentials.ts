import path from "node:path";
import { type FileOwner, writeJobFileOnce } from "../job-users/job-files.ts";
import { rolesOf, writeAwsIdentity } from "./job-aws-identity.ts";
import type { AwsAuth, AzureAuth, Credentials, GcpAuth } from "./read-credentials.ts";

/** The folder for credentials, and its owner. */
type Place = { readonly folder: string; readonly owner?: FileOwner };

/**
 * Writes the credentials of a plan to files in memory, 0600, in the formats of the clouds' tools, and returns the
 * variables that point to them. Without credentials, tools use the host's own identity.
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

async function writeAws(auth: AwsAuth, { folder, owner }: Place): Promise<Record<string, string>> {
  const keys = auth.static;
  const takesRoles = rolesOf(auth).length > 0 || Boolean(auth.web_identity?.role_arn);
  const [credentialsFile, configFile] = [path.join(folder, "aws"), path.join(folder, "aws-config")];
  const credentials = keys?.access_key_id
    ? ini("svc", {
        aws_access_key_id: keys.access_key_id,
        aws_secret_access_key: keys.secret_access_key,
        aws_session_token: keys.session_token,
      })
    : "";
  const identity = await writeAwsIdentity(auth, auth.region || usualRegion, { folder, owner });
  const command = takesRoles ? commandOf(identity) : undefined;
  const config = ini("profile job", { region: auth.region, credential_process: command });
  await writeJobFileOnce(credentialsFile, credentials, owner);
  await writeJobFileOnce(configFile, `${config}\n[profile svc]\n`, owner);
  const profile = takesRoles ? "job" : keys?.access_key_id ? "svc" : auth.profile;
  return {
    ...(auth.region && { AWS_REGION: auth.region, AWS_DEFAULT_REGION: auth.region }),
    ...(profile && { AWS_PROFILE: profile }),
    ...(profile && profile !== auth.profile
      ? { AWS_SHARED_CREDENTIALS_FILE: credentialsFile, AWS_CONFIG_FILE: configFile }
      : {}),
    AWS_SDK_LOAD_CONFIG: "1",
  };
}

/**
 * The command with which a tool gets a role's keys whenever they expire: this program, which assumes the roles one
 * after another.
 */
const commandOf = (file: string): string =>
  `svc-agent aws-credentials ${/\s/.test(file) ? `"${file}"` : file}`;

/** The default region of STS. */
const usualRegion = "us-east-1";

function ini(
  section: string,
  members: Readonly<Record<string, string | null | undefined>>,
): string {
  const lines = Object.entries(members)
    .filter(([, value]) => value != null && value !== "")
    .map(([name, value]) => `${name} = ${value?.replaceAll(/[\r\n]/g, "")}`);
  return `[${section}]\n${lines.join("\n")}\n`;
}

/** Azure's tools read only their environment. */
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
