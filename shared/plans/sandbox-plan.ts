import { z } from "zod";
import { gitSource, object, sandboxMode, secretText, text } from "./plan-members.ts";
import { pulumiBackend } from "./pulumi-plan.ts";
import { registry } from "./registry-member.ts";
import { terraformPlan } from "./terraform-plan.ts";

/** A run of an install's sandbox: terraform from a repository or an archive. */
export const sandboxPlan = terraformPlan.extend({
  install_id: text,
  app_id: text,
  app_config_id: text,
  git_source: gitSource,
  local_archive: object,
  /** An artifact of an earlier build; the digest is ours. */
  oci_source: z.looseObject({ registry, tag: text, digest: text }).nullish(),
  apply_plan_contents: secretText,
  apply_plan_display: z
    .union([z.string(), z.array(z.int())])
    .meta({ secret: true })
    .nullish(),
  /** Of a sandbox that is a stack of Pulumi. */
  pulumi_backend: pulumiBackend.nullish(),
  /** Below its source: where `policies` are laid, by their files' names, for what it applies. They are not evaluated then. */
  kyverno_policies_dir: text,
  sandbox_mode: sandboxMode,
});
