import type { FlagSpec } from "../../shared/command-line/command.ts";
import { runnerFlag } from "../flags/runner-flag.ts";

/** Flags and habits of every command that has something planned or applied. */
export const runner = runnerFlag("The runner that runs the job.");
export const autoApprove = { summary: "Do not ask." } as const satisfies FlagSpec;
export const detailedExitcode = {
  summary: "Exit with 7 if something would change.",
} as const satisfies FlagSpec;
export const followed = { ownsInterrupt: true, outlivesReader: true } as const;
export const plannedJob = {
  value: "JOB",
  summary: "Apply the plan that this job made, instead of making a new one.",
} as const satisfies FlagSpec;
