import { z } from "zod";
import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { type AzureIdentity, azureToken } from "./azure-token.ts";
import { CredentialFault } from "./credential-fault.ts";
import { parsedJson } from "./parsed-json.ts";

const answer = z.looseObject({ refresh_token: z.string().min(1) });
const refusal = z.looseObject({
  errors: z.array(z.looseObject({ code: z.string().nullish(), message: z.string().nullish() })),
});
/** What tokens for registries are asked for. */
const registries = "https://containerregistry.azure.net";

/**
 * Exchanges an identity's token for one that the token server of an Azure registry takes, good for three hours. Throws
 * CredentialFault.
 */
export async function acrRefreshToken(
  env: CloudEnv,
  identity: AzureIdentity,
  origin: string,
): Promise<string> {
  const { token } = await azureToken(env, identity, registries);
  const tenant = identity.tenantId ?? env["AZURE_TENANT_ID"];
  const body = new URLSearchParams({
    grant_type: "access_token",
    service: new URL(origin).host,
    ...(tenant && { tenant }),
    access_token: token,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const who = "The Azure registry";
  const url = `${origin}/oauth2/exchange`;
  const { status, text } = await askCloud(env, { url, method: "POST", headers, body, who });
  const said = parsedJson(text);
  const found = status === 200 ? answer.safeParse(said).data : undefined;
  if (found !== undefined) return found.refresh_token;
  const [first] = refusal.safeParse(said).data?.errors ?? [];
  const words = [first?.code, first?.message].filter(Boolean).join(": ").slice(0, 500);
  throw new CredentialFault(`${who} exchanged no token: ${words || `status ${status}`}`);
}
