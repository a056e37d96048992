import { z } from "zod";
import { gitSource, registry, sandboxMode, text } from "./plan-members.ts";

/** A build of a component: from a repository to a registry. Each kind of build adds a member of its own. */
export const buildPlan = z.looseObject({
  component_id: text,
  component_build_id: text,
  git_source: gitSource,
  dst_registry: registry,
  dst_tag: text,
  sandbox_mode: sandboxMode,
});
