import type { Handler } from "../../jobs/handler.ts";
import { readActionRun } from "./action-steps.ts";
import { runSteps } from "./run-steps.ts";

/** Runs actions: scripts and commands, one after another. A local job is an action too. */
export const actions: Handler = {
  types: ["actions-workflow", "runner-local"],
  stopGraceMs: 45_000, // ten seconds for a step to end, half a minute for the always-steps
  validate: (plan) => {
    const run = readActionRun(plan);
    return {
      needsDirectories: run.steps.length > 0,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await runSteps(job, run),
    };
  },
};
