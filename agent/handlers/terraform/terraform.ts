import type { Handler } from "../../jobs/handler.ts";
import { doTerraform } from "./do-terraform.ts";
import { killGraceMs } from "./terraform-context.ts";
import { readTerraformRun } from "./terraform-run.ts";

/** Plans and applies of terraform and OpenTofu, with the state at the broker. */
export const terraform: Handler = {
  types: ["terraform-deploy", "sandbox-terraform", "sandbox-terraform-plan", "runner-terraform"],
  stopGraceMs: 150_000, // two minutes for terraform to stop, thirty seconds to save a state that it could not save
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
