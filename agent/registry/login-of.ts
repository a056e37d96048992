import { acrRefreshToken } from "../credentials/acr-refresh-token.ts";
import type { CloudEnv } from "../credentials/ask-cloud.ts";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { ecrLogin } from "../credentials/ecr-login.ts";
import { googleAccountToken } from "../credentials/google-account-token.ts";
import type { RegistryLogin } from "./log-in.ts";
import { RegistryFault } from "./registry-fault.ts";
import type { RegistryIdentity } from "./registry-identity.ts";

/** Gets the credentials of an identity for a registry from its cloud. Throws RegistryFault. */
export async function loginOf(
  identity: RegistryIdentity,
  origin: string,
  env: CloudEnv,
): Promise<RegistryLogin> {
  try {
    if (identity.kind === "login") return identity.login;
    if (identity.kind === "aws") return await ecrLogin(env, identity.identity, identity.region);
    if (identity.kind === "azure")
      return { refreshToken: await acrRefreshToken(env, identity.identity, origin) };
    if (identity.kind === "nobody") return {};
    const password = await googleAccountToken(env, identity.account);
    return { username: "oauth2accesstoken", password };
  } catch (error) {
    if (!(error instanceof CredentialFault)) throw error;
    throw new RegistryFault("auth", error.message.replace(/\.$/, ""));
  }
}

/** What of credentials nobody may see. */
export function secretsOf({ password, token, refreshToken }: RegistryLogin): string[] {
  return [password, token, refreshToken].flatMap((secret) => (secret ? [secret] : []));
}
