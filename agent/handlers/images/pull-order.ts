import type { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { buildPlan } from "../../../shared/plans/build-plan.ts";
import type { containerImagePullPlan } from "../../../shared/plans/container-image-pull-plan.ts";
import type { Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { imageAddress } from "../../registry/image-address.ts";
import { readRegistryPlace, type RegistryPlace } from "../../registry/registry-place.ts";
import { requirePolicy } from "./require-policy.ts";
import { targetPlace, type WantedImage, wantedPlace } from "./wanted-image.ts";

const memberName = "container_image_pull_plan";

/** Reads the plan of a container-image-build. Throws JobFailure. */
export function pullOrder(plan: Plan): WantedImage {
  const { data, error } = buildPlan.safeParse(plan);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const { container_image_pull_plan: pull, dst_registry, dst_tag } = data;
  if (pull == null) throw invalidPlan(`${memberName} is missing`);
  const policy = pull.update_policy || undefined;
  if (policy !== undefined) requirePolicy(policy, `${memberName}.update_policy`);
  const from = wantedPlace(sourceOf(pull, policy), memberName);
  const to = targetPlace(
    readRegistryPlace(dst_registry, "dst_registry", { tag: dst_tag }),
    "dst_tag",
  );
  return {
    order: {
      kind: "pull",
      tag: to.tag,
      ...(policy !== undefined && { policy }),
      ...(pull.previous_source_digest && { previous: pull.previous_source_digest }),
    },
    from,
    to,
    failed: `${from.shown} cannot be taken over as ${to.shown}`,
  };
}

/** With a policy, the tag is chosen from those that there are; until then it has none that counts. */
function sourceOf(
  pull: z.infer<typeof containerImagePullPlan>,
  policy: string | undefined,
): RegistryPlace | undefined {
  const { repo_config: config } = pull;
  const given = typeof config === "string" ? { url: config } : (config ?? {});
  const server = given.loginServer || given.url || undefined;
  const image = pull.image ? imageAddress(pull.image, server) : undefined;
  const member =
    image === undefined || (server && given.repository)
      ? given
      : { ...given, loginServer: image.server, repository: image.repository };
  const tag = pull.tag || image?.tag || "latest";
  const digest = pull.digest || image?.digest;
  const name = `${memberName}.repo_config`;
  if (policy !== undefined) return readRegistryPlace(member, name, { tag: "latest" });
  return readRegistryPlace(member, name, { tag, digest });
}
