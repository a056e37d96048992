import { createPublicKey, verify } from "node:crypto";
import { type Answer, send } from "../broker/broker.ts";

export type Login = { readonly username: string; readonly password: string };
export type Granted = {
  readonly token: string;
  readonly expires_in: number;
  readonly code?: string;
};
export type Claims = {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly access: readonly { readonly name: string; readonly actions: readonly string[] }[];
};

/** Asks a broker's token server as registries' clients do. */
export async function askToken(
  url: string,
  login: Login | undefined,
  scopes: readonly string[],
  service = "",
): Promise<Answer<Granted>> {
  const query = new URLSearchParams(service === "" ? {} : { service });
  for (const scope of scopes) query.append("scope", scope);
  const headers = login && {
    authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`,
  };
  const path = `GET /v1/registry/token?${query.toString()}`;
  return await send<Granted>(url, path, { ...(headers && { headers }) });
}

/** What a token says, after one of the broker's keys has been found to have signed it. */
export async function claimsOf(url: string, token: string): Promise<Claims & { kid: string }> {
  const { body } = await send<{ keys: { kid: string }[] }>(url, "GET /v1/registry/keys");
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { kid } = JSON.parse(Buffer.from(head, "base64url").toString()) as { kid: string };
  const jwk = body.keys.find((one) => one.kid === kid);
  if (jwk === undefined) throw new Error(`no key is called ${kid}`);
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw new Error("the token is not signed by that key");
  return { ...(JSON.parse(Buffer.from(claims, "base64url").toString()) as Claims), kid };
}
