import { diffStates } from "./diff-states.ts";
import { type StateSummary, summarizeState } from "./summarize-state.ts";

/** What to make of one state, or of two. */
export type Summary = "resources" | "outputs" | "changes";

/** JSON for people; or the index of the state that is not Terraform's. */
export type Summarized =
  | { readonly json: Uint8Array<ArrayBuffer> }
  | { readonly notTerraform: number };

/** Summarizes the states. Each is removed from the list, and so from memory, once it is parsed. */
export function summarizeStates(wanted: Summary, states: (Buffer | undefined)[]): Summarized {
  const summaries: StateSummary[] = [];
  for (const [n, bytes = Buffer.alloc(0)] of states.entries()) {
    states[n] = undefined;
    const summary = summarizeState(bytes.toString("utf8"), { resources: wanted !== "outputs" });
    if (summary === undefined) return { notTerraform: n };
    summaries.push(summary);
  }
  const [first = nothing, second = nothing] = summaries;
  if (wanted === "changes") return { json: asJson(diffStates(first, second)) };
  return { json: asJson(first[wanted]) };
}

const nothing: StateSummary = { resources: [], outputs: [] };

const asJson = (value: object): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(value));
