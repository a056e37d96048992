import { z } from "zod";
import {
  cloudAuth,
  flag,
  gitSource,
  object,
  sandboxMode,
  secretText,
  secretTexts,
  source,
  text,
  words,
} from "./plan-members.ts";

const step = z.looseObject({
  run_id: text,
  attrs: words,
  interpolated_env_vars: words,
  git_source: gitSource,
  interpolated_inline_contents: secretText,
  interpolated_command: secretText,
  // What follows is ours: other runners pass it by.
  name: text,
  /** Where it runs: a source of any kind, in place of a git_source. */
  source,
  /** A program and its arguments, run as they are, in place of a command or contents. */
  argv: secretTexts,
  /** What the command or the contents find as their arguments. */
  args: secretTexts,
  /** What runs the command or the contents, given their file: "sh -eu", ["python3"]. */
  shell: z.union([z.string(), z.array(z.string())]).nullish(),
  /** Where it runs, within its source or the job's workspace. */
  directory: text,
  /** Variables whose values are secret. */
  secret_env_vars: words,
  /** Nanoseconds. */
  timeout: z.int().nullish(),
  /** The run goes on after it, and may still end well, if it fails. */
  continue_on_error: flag,
  /** It runs after a failure and after a cancel, too. */
  always: flag,
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
  /** Ours: its cluster is where the host's own kubeconfig leads. */
  host_cluster: flag,
  ...cloudAuth,
  sandbox_mode: sandboxMode,
  /** Ours: other names of svc: what the agent sets as SVC_… has those, too. */
  brands: z.array(z.string()).nullish(),
  /** Ours: variables of every step whose values are secret. */
  secret_env_vars: words,
});
