import { z } from "zod";
import { sandboxMode, text } from "./plan-members.ts";
import { registry } from "./registry-member.ts";

/** A copy of an OCI artifact from one registry to another. */
export const syncPlan = z.looseObject({
  src_registry: registry,
  src_tag: text,
  dst_registry: registry,
  dst_tag: text,
  sandbox_mode: sandboxMode,
  // What follows is ours.
  /** What is copied, whatever the tag is by then. */
  src_digest: text,
});
