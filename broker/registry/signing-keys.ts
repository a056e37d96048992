import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import type { Db } from "../database/connect.ts";
import type { Sealed, SealedThing, Seals } from "../seals/seals.ts";

/** A public key as registries read it. */
export type PublicKey = {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: "ES256";
  readonly use: "sig";
};

/** What signs tokens now, and the moment by the database's clock. */
export type Signer = { readonly kid: string; readonly key: KeyObject; readonly nowS: number };

type Parts = { readonly db: Db; readonly seals: Seals };
type KeyRow = {
  readonly kid: string;
  readonly public_key: PublicKey;
  /** 0: it signs now; 1: it is the next. */
  readonly ahead: number;
  readonly key_id: string | null;
  readonly contents: Buffer;
  readonly now_s: number;
};

const generate = promisify(generateKeyPair);

/** How a private key is bound to its place in the database. */
export const signingKeyThing = (kid: string): SealedThing => ({
  orgId: "",
  id: kid,
  part: "registry-signing-key",
});

/** The key that signs now, one of all brokers. */
export async function findSigner(parts: Parts): Promise<Signer> {
  const row = (await requireKeys(parts)).find(({ ahead }) => ahead === 0);
  if (row === undefined) throw new Error("no key signs tokens for registries");
  const sealed: Sealed = { keyId: row.key_id, bytes: row.contents };
  const der = parts.seals.open(signingKeyThing(row.kid), sealed);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return { kid: row.kid, key, nowS: row.now_s };
}

/** The keys by which registries check tokens: that of the quarter before, that which signs, and the one after it. */
export async function listPublicKeys(parts: Parts): Promise<PublicKey[]> {
  return (await requireKeys(parts)).map(({ public_key }) => public_key);
}

/** Each signs for 90 days, and is made a whole such time ahead: a registry that reads the keys once in between knows the next one. */
async function requireKeys({ db, seals }: Parts): Promise<KeyRow[]> {
  const found = await listKeys(db);
  if ([0, 1].every((wanted) => found.some(({ ahead }) => ahead === wanted))) return found;
  const made = [await draftKey(seals, 0), await draftKey(seals, 1)];
  // Who is first with a period makes its key; all others read it.
  await db`
    with gone as (
      delete from registry_signing_keys k where k.period < registry_key_period(svc_now()) - 1)
    insert into registry_signing_keys (period, kid, public_key, key_id, contents)
    select registry_key_period(svc_now()) + k.ahead, k.kid, k.public_key, k.key_id, decode(k.base64, 'base64')
      from jsonb_to_recordset(${JSON.stringify(made)}::text::jsonb)
           as k (ahead int, kid text, public_key jsonb, key_id text, base64 text)
        on conflict (period) do nothing`;
  return await listKeys(db);
}

function listKeys(db: Db): Promise<KeyRow[]> {
  return db<KeyRow[]>`
    select k.kid, k.public_key, k.period - registry_key_period(svc_now()) as ahead, k.key_id, k.contents,
           floor(extract(epoch from svc_now()))::float8 as now_s
      from registry_signing_keys k where k.period >= registry_key_period(svc_now()) - 1 order by k.period`;
}

async function draftKey(seals: Seals, ahead: number) {
  const { privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x = "", y = "" }: JsonWebKey = createPublicKey(privateKey).export({ format: "jwk" });
  const named = { crv: "P-256", kty: "EC", x, y } as const;
  const kid = createHash("sha256").update(JSON.stringify(named)).digest("base64url"); // RFC 7638
  const public_key: PublicKey = { ...named, kid, alg: "ES256", use: "sig" };
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  const { keyId, bytes } = seals.seal(signingKeyThing(kid), der);
  return { ahead, kid, public_key, key_id: keyId, base64: bytes.toString("base64") };
}
