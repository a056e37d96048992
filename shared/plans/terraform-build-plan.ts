import { z } from "zod";
import { flag, text, words } from "./plan-members.ts";

/** A module for terraform, with its providers or without. */
export const terraformBuildPlan = z.looseObject({
  labels: words,
  terraform_version: text,
  vendor_providers: flag,
  /** Ours: `terraform` or `opentofu`. */
  tool: text,
});
