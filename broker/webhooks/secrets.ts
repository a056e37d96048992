import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "../../shared/problem.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed, Seals } from "../seals/seals.ts";
import type { WebhookRow } from "./row.ts";

type OwnSecret = { readonly orgId: OrgId; readonly id: string };

/** A webhook's secret, sealed; the former one after a rotation is sealed as the same thing. */
export function sealSecret(
  seals: Pick<Seals, "seal">,
  { orgId, id }: OwnSecret,
  secret: string,
): Sealed {
  return seals.seal({ orgId, id, part: "webhook-secret" }, Buffer.from(secret));
}

type Secrets = Pick<
  WebhookRow,
  "key_id" | "secret" | "previous_key_id" | "previous_secret" | "previous_until"
>;

/** By what deliveries are signed now: nothing, the secret, or for a day after a rotation both. */
export function openSecrets(
  seals: Pick<Seals, "open">,
  { orgId, id }: OwnSecret,
  row: Secrets,
): { readonly secret: string | undefined; readonly previousSecret: string | undefined } {
  const thing = { orgId, id, part: "webhook-secret" };
  const open = (keyId: string | null, bytes: Buffer | null): string | undefined =>
    bytes === null ? undefined : seals.open(thing, { keyId, bytes }).toString("utf8");
  return {
    secret: open(row.key_id, row.secret),
    previousSecret:
      row.previous_until === null ? undefined : open(row.previous_key_id, row.previous_secret),
  };
}

/** Whether a text is the webhook's present secret; one that does not open here is another, so that it can be replaced. */
export function isSecretOf(
  seals: Pick<Seals, "open">,
  own: OwnSecret,
  { row, text }: { readonly row: Secrets; readonly text: string },
): boolean {
  try {
    const { secret } = openSecrets(seals, own, { ...row, previous_until: null });
    return secret !== undefined && timingSafeEqual(digestOf(secret), digestOf(text));
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Of one length, which is what a comparison in constant time wants. */
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
