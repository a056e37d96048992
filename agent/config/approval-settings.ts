import { durationMs, jobTypes, text, words, workspaceIds } from "./parsers.ts";
import type { Setting } from "./setting.ts";

const weekMs = 7 * 24 * 60 * 60_000;

/** Limits that the owner of the agent sets for jobs. */
export const approvalSettings = {
  "allow-types": {
    value: "TYPE,…",
    schema: jobTypes,
    doc: "Job types that this agent runs. Default: all. Jobs of the group operations concern only the agent and always run.",
  },
  "deny-types": {
    value: "TYPE,…",
    schema: jobTypes,
    doc: "Job types that this agent refuses, even if allow-types names them.",
  },
  "allow-workspaces": {
    value: "ID,…",
    schema: workspaceIds,
    doc: "Terraform and Pulumi workspaces that jobs may use. Default: all.",
  },
  "read-only": {
    value: "yes|no",
    schema: words("yes", "no"),
    byDefault: "no",
    doc: "Run only jobs that make a plan, and refuse jobs that change something. Jobs of the group operations always run.",
  },
  "require-approval": {
    value: "PATH",
    schema: text,
    doc: "Who approves a job before it changes anything: a program that reads the change and approves it with exit code 0, or a folder in which JOB.request.json waits for JOB.yes or JOB.no.",
  },
  "approval-timeout": {
    value: "DURATION",
    schema: durationMs(100, weekMs),
    byDefault: "1h",
    doc: "How long to wait for the answer of require-approval. Without an answer the job is refused.",
  },
} as const satisfies Record<string, Setting>;
