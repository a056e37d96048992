import { writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

const text = z.string().nullish();
const aws = z
  .looseObject({
    region: text,
    profile: text,
    static: z
      .looseObject({ access_key_id: text, secret_access_key: text, session_token: text })
      .nullish(),
    assume_role: z.looseObject({ role_arn: text, session_name: text, external_id: text }).nullish(),
  })
  .catch({});
const azure = z
  .looseObject({
    subscription_id: text,
    tenant_id: text,
    client_id: text,
    client_secret: text,
    use_msi: z.boolean().nullish(),
  })
  .catch({});
const gcp = z
  .looseObject({
    project_id: text,
    region: text,
    credentials: z.union([z.string(), z.looseObject({})]).nullish(),
    service_account_key: z.union([z.string(), z.looseObject({})]).nullish(),
  })
  .catch({});

export type CloudAuth = {
  readonly aws_auth?: object | null | undefined;
  readonly azure_auth?: object | null | undefined;
  readonly gcp_auth?: object | null | undefined;
};

/**
 * Writes the credentials of a plan into files in a folder in memory, 0600, where the clouds' tools look for them, and
 * answers the variables that lead there. Without any, tools find the host's own identity.
 */
export async function writeCloudCredentials(
  { aws_auth, azure_auth, gcp_auth }: CloudAuth,
  folder: string,
): Promise<Record<string, string>> {
  return {
    ...(aws_auth && (await writeAws(aws.parse(aws_auth), folder))),
    ...(azure_auth && azureVariables(azure.parse(azure_auth))),
    ...(gcp_auth && (await writeGcp(gcp.parse(gcp_auth), folder))),
  };
}

async function writeAws(
  auth: z.infer<typeof aws>,
  folder: string,
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
  const source = keys?.access_key_id
    ? { source_profile: "svc" }
    : { credential_source: "Ec2InstanceMetadata" };
  const config = ini("profile job", {
    region: auth.region,
    ...(role && { role_arn: role, ...source }),
    role_session_name: role && (auth.assume_role?.session_name || "svc-job"),
    external_id: role && auth.assume_role?.external_id,
  });
  const [credentialsFile, configFile] = [path.join(folder, "aws"), path.join(folder, "aws-config")];
  await writeFile(credentialsFile, credentials, { mode: 0o600 });
  await writeFile(configFile, `${config}\n[profile svc]\n`, { mode: 0o600 });
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
function azureVariables(auth: z.infer<typeof azure>): Record<string, string> {
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

async function writeGcp(
  auth: z.infer<typeof gcp>,
  folder: string,
): Promise<Record<string, string>> {
  const key = auth.service_account_key ?? auth.credentials;
  const project = auth.project_id;
  const told: Record<string, string> = {
    ...(project && { GOOGLE_CLOUD_PROJECT: project, CLOUDSDK_CORE_PROJECT: project }),
    ...(auth.region && { CLOUDSDK_COMPUTE_REGION: auth.region }),
  };
  if (!key) return told;
  const file = path.join(folder, "gcp.json");
  await writeFile(file, typeof key === "string" ? key : JSON.stringify(key), { mode: 0o600 });
  return {
    ...told,
    GOOGLE_APPLICATION_CREDENTIALS: file,
    CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE: file,
  };
}
