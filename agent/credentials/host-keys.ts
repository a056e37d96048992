import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { CredentialFault } from "./credential-fault.ts";
import { parsedJson } from "./parsed-json.ts";
import type { AwsKeys } from "./sign-v4.ts";
import { assumeRoleByToken } from "./sts.ts";
import { tokenInFile } from "./token-in-file.ts";

const given = z.looseObject({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string().optional(),
  Expiration: z.string().optional(),
});

const containerHost = "http://169.254.170.2";
const metadataHost = "http://169.254.169.254";
const metadataPatienceMs = 3_000;

/**
 * Finds the host's AWS keys as its SDKs do: from variables, a pod's token, a container's endpoint, or the machine's
 * metadata. Throws CredentialFault when there are none.
 */
export async function hostKeys(env: CloudEnv, region: string): Promise<AwsKeys> {
  return (
    keysInVariables(env) ??
    (await keysOfPod(env, region)) ??
    (await keysOfContainer(env)) ??
    (await keysOfMachine(env))
  );
}

function keysInVariables(env: CloudEnv): AwsKeys | undefined {
  const [accessKeyId, secretAccessKey] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: env["AWS_SESSION_TOKEN"] || undefined };
}

async function keysOfPod(env: CloudEnv, region: string): Promise<AwsKeys | undefined> {
  const [file, roleArn] = [env["AWS_WEB_IDENTITY_TOKEN_FILE"], env["AWS_ROLE_ARN"]];
  if (!file || !roleArn) return undefined;
  const role = { roleArn, sessionName: env["AWS_ROLE_SESSION_NAME"] || "svc-agent" };
  return await assumeRoleByToken(env, role, { token: await tokenInFile(file), region });
}

async function keysOfContainer(env: CloudEnv): Promise<AwsKeys | undefined> {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const url = relative ? `${containerHost}${relative}` : env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (!url) return undefined;
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const authorization = file ? await tokenInFile(file) : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  const headers = authorization ? { authorization: authorization.trim() } : {};
  const { status, text } = await askCloud(env, { url, headers, who: "The container's host" });
  return keysFrom(text, status, "The container's host");
}

async function keysOfMachine(env: CloudEnv): Promise<AwsKeys> {
  const who = "The instance metadata service";
  if (env["AWS_EC2_METADATA_DISABLED"] === "true") {
    throw new CredentialFault(
      "No AWS credentials on this host: no environment variables, no token file, no instance metadata.",
    );
  }
  const base = `${(env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || metadataHost).replace(/\/$/, "")}/latest`;
  const ask = async (path: string, how: object): Promise<{ status: number; text: string }> =>
    await askCloud(env, { url: `${base}/${path}`, who, timeoutMs: metadataPatienceMs, ...how });
  const ttl = { "x-aws-ec2-metadata-token-ttl-seconds": "60" };
  const token = await ask("api/token", { method: "PUT", headers: ttl });
  if (token.status !== 200)
    throw new CredentialFault(`${who} returned no token (${token.status}).`);
  const headers = { "x-aws-ec2-metadata-token": token.text };
  const path = "meta-data/iam/security-credentials/";
  const role = await ask(path, { headers });
  const name = role.text.split("\n")[0]?.trim() ?? "";
  if (role.status !== 200 || name === "") throw new CredentialFault(`${who} returned no role.`);
  const { status, text } = await ask(`${path}${encodeURIComponent(name)}`, { headers });
  return keysFrom(text, status, who);
}

function keysFrom(text: string, status: number, who: string): AwsKeys {
  const { data } = status === 200 ? given.safeParse(parsedJson(text)) : {};
  if (data === undefined) throw new CredentialFault(`${who} returned no keys (${status}).`);
  return {
    accessKeyId: data.AccessKeyId,
    secretAccessKey: data.SecretAccessKey,
    sessionToken: data.Token,
    ...(data.Expiration !== undefined && { expiresAtMs: Date.parse(data.Expiration) }),
  };
}
