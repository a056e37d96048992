import { randomUUID, sign } from "node:crypto";
import type { Db } from "../database/connect.ts";
import type { Seals } from "../seals/seals.ts";
import type { Access } from "./read-scopes.ts";
import { findSigner } from "./signing-keys.ts";

/** Who signs tokens for registries, as they name it. */
const registryIssuer = "svc";
/** Who took a token keeps it so long, whatever becomes of the login. */
const livesS = 300;

export type RegistryToken = {
  readonly token: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly issued_at: string;
};

type Claims = {
  readonly access: readonly Access[];
  readonly audience: string;
  readonly subject: string;
};

/** A token that opens this at the registry for five minutes. */
export async function signRegistryToken(
  parts: { readonly db: Db; readonly seals: Seals },
  { access, audience, subject }: Claims,
): Promise<RegistryToken> {
  const { kid, key, nowS } = await findSigner(parts);
  const head = { typ: "JWT", alg: "ES256", kid };
  const claims = {
    iss: registryIssuer,
    sub: subject,
    aud: audience,
    iat: nowS,
    nbf: nowS,
    exp: nowS + livesS,
    jti: randomUUID(),
    access: access.map(({ repository: name, actions }) => ({ type: "repository", name, actions })),
  };
  const text = [head, claims].map((part) => encoded(JSON.stringify(part))).join(".");
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  const token = `${text}.${signature.toString("base64url")}`;
  const issued_at = new Date(nowS * 1000).toISOString();
  return { token, access_token: token, expires_in: livesS, issued_at };
}

const encoded = (text: string): string => Buffer.from(text).toString("base64url");
