import { z } from "zod";
import { text } from "./plan-members.ts";
import { registry } from "./registry-member.ts";

/** An image of somebody else that becomes the component's; an equal one is not copied again. */
export const containerImagePullPlan = z.looseObject({
  image: text,
  tag: text,
  repo_config: registry,
  previous_source_digest: text,
  update_policy: text,
  // What follows is ours.
  digest: text,
});
