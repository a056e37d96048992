import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { CredentialFault } from "./credential-fault.ts";
import { awsUrl } from "./regions.ts";
import { type AwsKeys, signedHeaders } from "./sign-v4.ts";

/** A role to assume. */
export const awsRole = z.object({
  roleArn: z.string(),
  sessionName: z.string(),
  externalId: z.string().optional(),
  durationSeconds: z.int().optional(),
});
export type AwsRole = z.infer<typeof awsRole>;

const version = "2011-06-15";
const usualSeconds = 3600;

/**
 * The URL of STS in a region, unless the environment sets another, as the AWS SDKs read it. Throws CredentialFault for
 * what is no region.
 */
export function stsUrl(env: CloudEnv, region: string): string {
  const given = env["AWS_ENDPOINT_URL_STS"] || env["AWS_ENDPOINT_URL"];
  if (given !== undefined && given !== "") return given.endsWith("/") ? given : `${given}/`;
  return awsUrl("sts", region);
}

/** Assumes a role with keys. Throws CredentialFault with the message of STS. */
export async function assumeRole(
  env: CloudEnv,
  role: AwsRole,
  by: { readonly keys: AwsKeys; readonly region: string },
): Promise<AwsKeys> {
  const { keys, region } = by;
  const url = new URL(stsUrl(env, region));
  const body = formOf("AssumeRole", role, role.externalId ? { ExternalId: role.externalId } : {});
  const request = { method: "POST", url, headers: form, body };
  const { host: _, ...headers } = signedHeaders(request, keys, {
    region,
    service: "sts",
    atMs: Date.now(),
  });
  return await keysFrom(env, { url: url.href, headers, body, role });
}

/** Assumes a role with an identity token of a pod or a pipeline. Throws CredentialFault. */
export async function assumeRoleByToken(
  env: CloudEnv,
  role: AwsRole,
  by: { readonly token: string; readonly region: string },
): Promise<AwsKeys> {
  const body = formOf("AssumeRoleWithWebIdentity", role, { WebIdentityToken: by.token.trim() });
  return await keysFrom(env, { url: stsUrl(env, by.region), headers: form, body, role });
}

const form = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

function formOf(action: string, role: AwsRole, more: Readonly<Record<string, string>>): string {
  const { roleArn, sessionName, durationSeconds = usualSeconds } = role;
  return new URLSearchParams({
    Action: action,
    Version: version,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: String(durationSeconds),
    ...more,
  }).toString();
}

type Asked = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly role: AwsRole;
};

async function keysFrom(env: CloudEnv, { role, ...asked }: Asked): Promise<AwsKeys> {
  const { status, text } = await askCloud(env, { ...asked, method: "POST", who: "STS" });
  const of = (tag: string): string => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1] ?? "";
  const [accessKeyId, secretAccessKey] = [of("AccessKeyId"), of("SecretAccessKey")];
  if (status === 200 && accessKeyId !== "" && secretAccessKey !== "") {
    const expiresAtMs = Date.parse(of("Expiration"));
    return { accessKeyId, secretAccessKey, sessionToken: of("SessionToken"), expiresAtMs };
  }
  const why = [of("Code"), of("Message")].filter((word) => word !== "").join(": ");
  throw new CredentialFault(
    `STS refused the role ${role.roleArn}: ${why.slice(0, 500) || `status ${status}`}`,
  );
}
