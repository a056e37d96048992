import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { type AwsIdentity, keysOfIdentity } from "./aws-identity.ts";
import { CredentialFault } from "./credential-fault.ts";
import { parsedJson } from "./parsed-json.ts";
import { awsUrl } from "./regions.ts";
import { signedHeaders } from "./sign-v4.ts";

const answer = z.looseObject({
  authorizationData: z.array(z.looseObject({ authorizationToken: z.string() })),
});
const refusal = z.looseObject({
  __type: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
});
const target = "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken";
const type = "application/x-amz-json-1.1";

/** A name and a password for the ECR registries of a region, good for twelve hours. Throws CredentialFault. */
export async function ecrLogin(
  env: CloudEnv,
  identity: AwsIdentity,
  region: string,
): Promise<{ readonly username: string; readonly password: string }> {
  const keys = await keysOfIdentity(identity, env);
  const url = new URL(urlOf(env, region));
  const request = {
    method: "POST",
    url,
    headers: { "content-type": type, "x-amz-target": target },
    body: "{}",
  };
  const scope = { region, service: "ecr", atMs: Date.now() };
  const { host: _, ...headers } = signedHeaders(request, keys, scope);
  const asked = { url: url.href, method: "POST", headers, body: request.body, who: "ECR" } as const;
  const { status, text } = await askCloud(env, asked);
  const said = parsedJson(text);
  const token = answer.safeParse(said).data?.authorizationData[0]?.authorizationToken ?? "";
  const [, username, password] =
    /^([^:]+):(.+)$/s.exec(Buffer.from(token, "base64").toString("utf8")) ?? [];
  if (status === 200 && username !== undefined && password !== undefined)
    return { username, password };
  const { __type, message, Message } = refusal.safeParse(said).data ?? {};
  const words = [__type, message ?? Message].filter(Boolean).join(": ").slice(0, 500);
  throw new CredentialFault(`ECR returned no login: ${words || `status ${status}`}`);
}

/** The URL of ECR in a region, unless the environment sets another, as the AWS SDKs read it. */
function urlOf(env: CloudEnv, region: string): string {
  const given = env["AWS_ENDPOINT_URL_ECR"] || env["AWS_ENDPOINT_URL"];
  if (given) return given.endsWith("/") ? given : `${given}/`;
  return awsUrl("api.ecr", region);
}
