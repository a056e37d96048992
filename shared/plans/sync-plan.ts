import { z } from "zod";
import { registry, sandboxMode, text } from "./plan-members.ts";

/** A copy of an OCI artifact from one registry to another. */
export const syncPlan = z.looseObject({
  src_registry: registry,
  src_tag: text,
  dst_registry: registry,
  dst_tag: text,
  sandbox_mode: sandboxMode,
});
