import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";
import { summarizeStates, type Summary } from "./summarize-states.ts";

/** What is told of states: the index of the one that is not Terraform's, if there is one. */
export type ToldStates = { readonly notTerraform?: number };

/** Summarizes one or two states in a child process. */
export function summarizeInChild({
  asked: { wanted },
  bytes,
}: WorkGiven<{ readonly wanted: Summary }>): WorkDone<ToldStates> {
  const summarized = summarizeStates(wanted, bytes.splice(0));
  if ("json" in summarized) return { told: {}, bytes: [summarized.json] };
  return { told: summarized, bytes: [] };
}
