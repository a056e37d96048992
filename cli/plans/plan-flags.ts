import type { FlagSpec } from "../../shared/command-line/command.ts";

/** Flags and habits of every command that has something planned or applied. */
export const runner = {
  value: "RUNNER",
  offers: "runners",
  summary: "The runner that is to do it.",
} as const;
export const autoApprove = { summary: "Do not ask." } as const satisfies FlagSpec;
export const detailedExitcode = {
  summary: "The exit code is 7 when something would change.",
} as const satisfies FlagSpec;
export const followed = { ownsInterrupt: true, outlivesReader: true } as const;
export const plannedJob = {
  value: "JOB",
  summary: "Apply what this job has planned, and plan nothing.",
} as const satisfies FlagSpec;
