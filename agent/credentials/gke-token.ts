import { createSign } from "node:crypto";
import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { CredentialFault } from "./credential-fault.ts";
import type { ClusterToken } from "./eks-token.ts";
import { parsedJson } from "./parsed-json.ts";
import { tokenFrom } from "./token-from.ts";

const serviceAccount = z.looseObject({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.string().default("https://oauth2.googleapis.com/token"),
});

const scope = "https://www.googleapis.com/auth/cloud-platform";
const hour = 3600;

/** Gets a token for a GKE cluster: for a service account with its key, or for that of the host. */
export async function gkeToken(env: CloudEnv, key: string | undefined): Promise<ClusterToken> {
  if (key === undefined) return await tokenOfHost(env);
  const { data } = serviceAccount.safeParse(parsedJson(key));
  if (data === undefined) {
    throw new CredentialFault("The service account key does not have the type service_account.");
  }
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: assertionOf(data),
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const who = "Google's token server";
  return tokenFrom(
    await askCloud(env, { url: data.token_uri, method: "POST", headers, body, who }),
    who,
  );
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

function assertionOf(key: z.infer<typeof serviceAccount>): string {
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: "RS256", typ: "JWT", ...(key.private_key_id && { kid: key.private_key_id }) };
  const claims = { iss: key.client_email, scope, aud: key.token_uri, iat: now, exp: now + hour };
  const text = `${encode(head)}.${encode(claims)}`;
  try {
    return `${text}.${createSign("RSA-SHA256").update(text).sign(key.private_key, "base64url")}`;
  } catch {
    throw new CredentialFault("The private_key of the service account key is invalid.");
  }
}

async function tokenOfHost(env: CloudEnv): Promise<ClusterToken> {
  const host = env["GCE_METADATA_HOST"] || "169.254.169.254";
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const who = "Google's metadata server";
  return tokenFrom(
    await askCloud(env, { url, headers: { "metadata-flavor": "Google" }, who }),
    who,
  );
}
