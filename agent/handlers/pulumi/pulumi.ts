import type { Handler } from "../../jobs/handler.ts";
import { doPulumi } from "./do-pulumi.ts";
import { killGraceMs } from "./pulumi-context.ts";
import { readPulumiRun } from "./pulumi-run.ts";

/** Previews, updates and destroys of Pulumi programs, with the state at the broker. */
export const pulumi: Handler = {
  types: ["pulumi-deploy", "sandbox-pulumi"],
  stopGraceMs: 150_000, // two minutes for pulumi to stop, thirty seconds to save what it left
  killGraceMs: killGraceMs + 3_000,
  validate: (plan, info) => {
    const run = readPulumiRun(plan, info);
    return {
      needsDirectories: true,
      asksApproval: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await doPulumi(job, run),
    };
  },
};
