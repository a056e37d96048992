import { z } from "zod";
import { cloudAuth, gitSource, object, sandboxMode, text, words } from "./plan-members.ts";

const step = z.looseObject({
  run_id: text,
  attrs: words,
  interpolated_env_vars: words,
  git_source: gitSource,
  interpolated_inline_contents: text,
  interpolated_command: text,
});

/** A run of an action: its steps, in order. The timeout is in nanoseconds. */
export const actionPlan = z.looseObject({
  id: text,
  install_id: text,
  attrs: words,
  steps: z.array(step).nullish(),
  builtin_env_vars: words,
  override_env_vars: words,
  timeout: z.int().nullish(),
  cluster_info: object,
  ...cloudAuth,
  sandbox_mode: sandboxMode,
});
