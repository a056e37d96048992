import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { CredentialFault } from "./credential-fault.ts";
import { gkeToken } from "./gke-token.ts";
import { parsedJson } from "./parsed-json.ts";

const answer = z.looseObject({ accessToken: z.string().min(1) });
const refusal = z.looseObject({ error: z.looseObject({ message: z.string().nullish() }) });
const scope = "https://www.googleapis.com/auth/cloud-platform";

/**
 * A Google access token, good for an hour: of the host or of the service account whose key is given, or of another
 * account in whose name that one may act. Throws CredentialFault.
 */
export async function googleAccountToken(
  env: CloudEnv,
  account: string | undefined,
  key?: string,
): Promise<string> {
  const { token } = await gkeToken(env, key);
  if (account === undefined) return token;
  const base = env["CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS"] || usualBase;
  const path = `v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:generateAccessToken`;
  const { status, text } = await askCloud(env, {
    url: `${base.replace(/\/$/, "")}/${path}`,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ scope: [scope] }),
    who: "Google's credentials service",
  });
  const said = parsedJson(text);
  const found = status === 200 ? answer.safeParse(said).data : undefined;
  if (found !== undefined) return found.accessToken;
  const words = refusal.safeParse(said).data?.error.message?.slice(0, 500) ?? `status ${status}`;
  throw new CredentialFault(`Google gives no token of the account ${account}: ${words}`);
}

const usualBase = "https://iamcredentials.googleapis.com";
