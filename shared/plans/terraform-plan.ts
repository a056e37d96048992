import { z } from "zod";
import {
  cloudAuth,
  flag,
  object,
  secretTexts,
  source,
  text,
  texts,
  words,
} from "./plan-members.ts";

/** A terraform run: inside a deploy plan, and the body of a sandbox plan. */
export const terraformPlan = z.looseObject({
  vars: object,
  env_vars: words,
  secret_env_vars: words, // ours, too
  vars_files: secretTexts,
  terraform_backend: z.looseObject({ WorkspaceID: text, workspaceID: text }).nullish(),
  ...cloudAuth,
  hooks: object,
  cluster_info: object,
  policies: z.unknown().optional(),
  /** What templates in files of its source's variables read below `.svc`. */
  state: object,
  plan_json: z.unknown().optional(),
  // What follows is ours: other runners pass it by.
  /** What of the state is sensitive, of the same shape. */
  state_sensitive: object,
  /** terraform or opentofu. */
  tool: text,
  terraform_version: text,
  destroy: flag,
  refresh_only: flag,
  plan_only: flag,
  targets: texts,
  replace: texts,
  /** Only the plan with these digests is applied, on this revision of its source. */
  approved: z
    .looseObject({ plan_sha256: text, lock_sha256: text, source_revision: text })
    .nullish(),
  /** Nanoseconds. */
  timeout: z.number().nullish(),
  cancel_patience: z.number().nullish(),
  lock_timeout: z.number().nullish(),
  /** Where its configuration comes from, of any kind. */
  source,
});
