import { durationMs, jobTypes, text, words, workspaceIds } from "./parsers.ts";
import type { Setting } from "./setting.ts";

const weekMs = 7 * 24 * 60 * 60_000;

/** What whoever runs the agent lets it do, whatever jobs ask for. */
export const consentSettings = {
  "allow-types": {
    value: "TYPE,…",
    schema: jobTypes,
    doc: "The types of jobs that are done here; every type, unless told. Those of group operations, which concern the agent alone, always are.",
  },
  "deny-types": {
    value: "TYPE,…",
    schema: jobTypes,
    doc: "Types of jobs that are not done here, whatever allow-types says.",
  },
  "allow-workspaces": {
    value: "ID,…",
    schema: workspaceIds,
    doc: "The terraform and Pulumi workspaces that jobs may name; every one, unless told.",
  },
  "read-only": {
    value: "yes|no",
    schema: words("yes", "no"),
    byDefault: "no",
    doc: "Whether jobs may plan only: of all but group operations, those that make a plan are done, and no others.",
  },
  "require-approval": {
    value: "PATH",
    schema: text,
    doc: "What is asked before a job changes anything: a program, which is shown it and says yes by exit code 0, or a folder in which JOB.request.json waits for JOB.yes or JOB.no.",
  },
  "approval-timeout": {
    value: "DURATION",
    schema: durationMs(100, weekMs),
    byDefault: "1h",
    doc: "How long require-approval may take to answer; then it is no.",
  },
} as const satisfies Record<string, Setting>;
