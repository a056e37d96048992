import type { Handler } from "../../jobs/handler.ts";
import { doTerraform } from "./do-terraform.ts";
import { killGraceMs } from "./terraform-context.ts";
import { readTerraformRun } from "./terraform-run.ts";

/** Plans and applies of terraform and OpenTofu, whose state the broker keeps. */
export const terraform: Handler = {
  types: ["terraform-deploy", "sandbox-terraform", "sandbox-terraform-plan", "runner-terraform"],
  stopGraceMs: 150_000, // two minutes for terraform to come to rest, half of one to save what it could not
  killGraceMs: killGraceMs + 3_000,
  validate: (plan, info) => {
    const run = readTerraformRun(plan, info);
    return {
      needsDirectories: true,
      asksApproval: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await doTerraform(job, run),
    };
  },
};
