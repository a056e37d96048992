import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import { callRoute } from "../../shared/api/call-route.ts";
import { getRegistryKeysRoute } from "../../shared/api/registry-tokens.ts";
import { repositoryName } from "./read-route.ts";

/** What a token lets its bearer do, by repository. */
export type Granted = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads a token of the broker: undefined for what is none, is over, or is for another registry. */
export type CheckToken = (token: string) => Promise<Granted | undefined>;

const issuer = "svc";
const leewayS = 30;
const longest = 16 * 1024;
/** Whoever sends tokens of unknown keys makes the registry ask for them so often at most. */
const asksEveryMs = 2_000;

const head = z.object({ alg: z.literal("ES256"), kid: z.string().max(200) });
const claims = z.object({
  iss: z.literal(issuer),
  aud: z.string(),
  nbf: z.number(),
  exp: z.number(),
  access: z
    .array(z.object({ type: z.string(), name: z.string(), actions: z.array(z.string()).max(16) }))
    .max(64),
});

/** Checks tokens by the keys of the broker at this URL, which are read when one is met that is not known. */
export function makeCheckToken(brokerUrl: string, service: string): CheckToken {
  const keys = new Map<string, KeyObject>();
  let askedAtMs = -Infinity;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const { body } = await callRoute({ url: brokerUrl }, getRegistryKeysRoute, {});
    keys.clear();
    for (const { kid, ...jwk } of body.keys)
      keys.set(kid, createPublicKey({ key: jwk, format: "jwk" }));
  }

  async function keyOf(kid: string): Promise<KeyObject | undefined> {
    if (!keys.has(kid) && performance.now() - askedAtMs > asksEveryMs) {
      asking ??= ask().finally(() => {
        askedAtMs = performance.now();
        asking = undefined;
      });
    }
    await asking;
    return keys.get(kid);
  }

  return async (token) => {
    const parts = token.length > longest ? [] : token.split(".");
    const [first, second, third] = parts;
    if (first === undefined || second === undefined || third === undefined || parts.length > 3)
      return undefined;
    const { kid } = head.safeParse(jsonIn(first)).data ?? {};
    const key = kid === undefined ? undefined : await keyOf(kid);
    if (key === undefined) return undefined;
    const signed = Buffer.from(`${first}.${second}`);
    const signature = Buffer.from(third, "base64url");
    if (!verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature)) return undefined;
    const { data } = claims.safeParse(jsonIn(second));
    const nowS = Date.now() / 1000;
    if (data === undefined || data.aud !== service) return undefined;
    if (nowS < data.nbf - leewayS || nowS > data.exp + leewayS) return undefined;
    const repositories = data.access.filter(
      ({ type, name }) => type === "repository" && repositoryName.test(name),
    );
    return new Map(repositories.map(({ name, actions }) => [name, new Set(actions)]));
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
