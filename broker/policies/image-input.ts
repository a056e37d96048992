import { z } from "zod";
import type { PolicyInput } from "../../shared/policies/judge-policies.ts";
import { builtArtifact } from "../builds/built-artifact.ts";

const facts = z.looseObject({
  metadata: z
    .looseObject({
      signed: z.boolean().catch(false).default(false),
      sbom: z.boolean().catch(false).default(false),
      attestations: z.array(z.string()).catch([]).default([]),
    })
    .catch({ signed: false, sbom: false, attestations: [] })
    .default({ signed: false, sbom: false, attestations: [] }),
});

/**
 * What policies read of an image: the one that was copied, else the one that was built. What the job tells nothing of is false or empty:
 * nothing counts as signed that nobody has looked at.
 */
export function imageInput(
  place: { readonly repository?: string; readonly tag?: string },
  outputs: Readonly<Record<string, unknown>>,
): PolicyInput {
  const { digest = "", source_image, resolved_tag } = builtArtifact.safeParse(outputs).data ?? {};
  const { signed, sbom, attestations } = facts.parse(outputs).metadata;
  const image = source_image || (place.repository ?? "");
  const tag = resolved_tag || (place.tag ?? "");
  return {
    identity: `${image}${tag === "" ? "" : `:${tag}`}@${digest}`,
    document: { image, tag, digest, metadata: { signed, sbom, attestations } },
  };
}
