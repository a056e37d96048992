import { firstFault } from "../../../shared/issue-words.ts";
import { syncPlan } from "../../../shared/plans/sync-plan.ts";
import type { Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { readRegistryPlace } from "../../registry/registry-place.ts";
import { targetPlace, type WantedImage, wantedPlace } from "./wanted-image.ts";

/** Reads the plan of an oci-sync. Throws JobFailure. */
export function copyOrder(plan: Plan): WantedImage {
  const { data, error } = syncPlan.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const { src_registry, src_tag, src_digest, dst_registry, dst_tag } = data;
  const source = { tag: src_tag, digest: src_digest };
  const from = wantedPlace(readRegistryPlace(src_registry, "src_registry", source), "src_registry");
  const to = targetPlace(
    readRegistryPlace(dst_registry, "dst_registry", { tag: dst_tag }),
    "dst_tag",
  );
  const failed = `${from.shown} cannot be copied to ${to.shown}`;
  return { order: { kind: "copy", tag: to.tag }, from, to, failed };
}
