import type { Seals } from "../seals/seals.ts";

type Plan = { readonly orgId: string; readonly id: string; readonly plan: string | undefined };

/** A plan by the names of `new_job`: sealed, or readable where nothing is sealed. */
export function sealPlan(
  seals: Seals,
  { orgId, id, plan }: Plan,
): { plan?: string; sealed_plan?: string; key_id?: string } {
  if (plan === undefined) return {};
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
