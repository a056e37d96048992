import { LargeText } from "../seals/large-text.ts";
import type { Seals } from "../seals/seals.ts";
import type { StagedUploads, SentUpload } from "../seals/staged-uploads.ts";

type Plan = {
  readonly orgId: string;
  readonly id: string;
  readonly plan: string | LargeText | undefined;
};

/** A plan by the names of `new_job`: sealed, a large one sent ahead, or readable where nothing is sealed. */
export function sealPlan(
  seals: Seals,
  ahead: StagedUploads,
  { orgId, id, plan: given }: Plan,
): { plan?: string; sealed_plan?: string; sent_plan?: SentUpload; key_id?: string } {
  if (given === undefined) return {};
  if (given instanceof LargeText && seals.newest() !== null) {
    const { sent, keyId } = ahead.seal(seals, { orgId, id, part: "plan" }, given);
    return { sent_plan: sent, key_id: keyId };
  }
  const plan = given.toString();
  const { keyId, bytes } = seals.seal({ orgId, id, part: "plan" }, Buffer.from(plan));
  return keyId === null ? { plan } : { sealed_plan: bytes.toString("base64"), key_id: keyId };
}

/** The text of a job's plan; refuses what this broker's keys do not open. */
export function openPlan(
  seals: Seals,
  job: { readonly orgId: string; readonly id: string },
  { key_id: keyId, contents }: { readonly key_id: string | null; readonly contents: Buffer },
): string {
  const thing = { orgId: job.orgId, id: job.id, part: "plan" };
  return seals.open(thing, { keyId, bytes: contents }).toString("utf8");
}
