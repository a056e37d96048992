import { askCloud, type CloudEnv } from "./ask-cloud.ts";
import { CredentialFault } from "./credential-fault.ts";
import type { ClusterToken } from "./eks-token.ts";
import { tokenFrom } from "./token-from.ts";
import { tokenInFile } from "./token-in-file.ts";

/** The Azure identity of a job; missing parts come from the host's environment. */
export type AzureIdentity = {
  readonly tenantId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly usesMachine?: boolean | undefined;
};

const who = "Entra ID";

/**
 * Gets a token for a resource of Azure: with a client secret, with a pod's token, or with the machine's managed identity.
 */
export async function azureToken(
  env: CloudEnv,
  identity: AzureIdentity,
  resource: string,
): Promise<ClusterToken> {
  const tenant = identity.tenantId ?? env["AZURE_TENANT_ID"];
  const client = identity.clientId ?? env["AZURE_CLIENT_ID"];
  const file = env["AZURE_FEDERATED_TOKEN_FILE"];
  const secret = identity.clientSecret ?? (file ? undefined : env["AZURE_CLIENT_SECRET"]);
  if (identity.usesMachine === true || (!secret && !file)) {
    return await tokenOfMachine(env, client, resource);
  }
  if (!tenant || !client) {
    throw new CredentialFault("The identity needs tenant_id and client_id for an Entra ID token.");
  }
  const authority = (env["AZURE_AUTHORITY_HOST"] || "https://login.microsoftonline.com").replace(
    /\/$/,
    "",
  );
  const proof: Record<string, string> = secret
    ? { client_secret: secret }
    : {
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: (await tokenInFile(file ?? "")).trim(),
      };
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    scope: `${resource}/.default`,
    ...proof,
  }).toString();
  const url = `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return tokenFrom(await askCloud(env, { url, method: "POST", headers, body, who }), who);
}

/** From the identity endpoint of an app service if there is one, else from the machine's metadata server. */
async function tokenOfMachine(
  env: CloudEnv,
  client: string | undefined,
  resource: string,
): Promise<ClusterToken> {
  const [endpoint, header] = [env["IDENTITY_ENDPOINT"], env["IDENTITY_HEADER"]];
  const isService = Boolean(endpoint && header);
  const url = new URL(
    isService ? (endpoint ?? "") : "http://169.254.169.254/metadata/identity/oauth2/token",
  );
  url.searchParams.set("api-version", isService ? "2019-08-01" : "2018-02-01");
  url.searchParams.set("resource", resource);
  if (client) url.searchParams.set("client_id", client);
  const headers: Record<string, string> = isService
    ? { "x-identity-header": header ?? "" }
    : { metadata: "true" };
  const machine = "Azure's metadata server";
  return tokenFrom(await askCloud(env, { url: url.href, headers, who: machine }), machine);
}
