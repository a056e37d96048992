import { firstFault } from "../../../shared/issue-words.ts";
import { imageMetadataPlan } from "../../../shared/plans/image-metadata-plan.ts";
import type { Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { readRegistryPlace } from "../../registry/registry-place.ts";
import { requirePolicy } from "./require-policy.ts";
import { type WantedImage, wantedPlace } from "./wanted-image.ts";

/** Reads the plan of a fetch-image-metadata. Throws JobFailure. */
export function metadataOrder(plan: Plan): WantedImage {
  const { data, error } = imageMetadataPlan.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const { registry, tag, digest } = data;
  const policy = data.update_policy || undefined;
  if (policy !== undefined) requirePolicy(policy, "update_policy");
  // With a policy, the tag is chosen from those that there are; until then it has none that counts.
  const named = policy === undefined ? { tag, digest } : { tag: "latest" };
  const from = wantedPlace(readRegistryPlace(registry, "registry", named), "registry");
  return {
    order: {
      kind: "metadata",
      withIndex: data.include_index ?? false,
      withManifests: data.include_attestation_manifests ?? false,
      withLayers: data.include_attestation_layers ?? false,
      digestOnly: data.digest_only ?? false,
      ...(policy !== undefined && { policy }),
    },
    from,
    failed: `The metadata of ${from.shown} cannot be read`,
  };
}
