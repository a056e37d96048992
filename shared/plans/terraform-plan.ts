import { z } from "zod";
import { cloudAuth, object, secretTexts, text, words } from "./plan-members.ts";

/** A terraform run: inside a deploy plan, and the body of a sandbox plan. */
export const terraformPlan = z.looseObject({
  vars: object,
  env_vars: words,
  vars_files: secretTexts,
  terraform_backend: z.looseObject({ WorkspaceID: text }).nullish(),
  ...cloudAuth,
  hooks: object,
  cluster_info: object,
  policies: z.unknown().optional(),
  state: z.unknown().optional(),
  plan_json: z.unknown().optional(),
});
