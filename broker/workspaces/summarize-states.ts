import { diffStates } from "./diff-states.ts";
import { type StateSummary, summarizeState } from "./summarize-state.ts";

/** What is wanted of one state, or of two. */
export type Wanted = "resources" | "outputs" | "changes";

/** JSON for people; or the number of the state that is none of terraform's. */
export type Summarized =
  | { readonly json: Uint8Array<ArrayBuffer> }
  | { readonly notTerraform: number };

/** Looks into the states that `wanted` is about. Each is taken out of the list, and so out of memory, when it was read. */
export function summarizeStates(wanted: Wanted, states: (Buffer | undefined)[]): Summarized {
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
