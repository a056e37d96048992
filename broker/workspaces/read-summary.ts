import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { openStored, type Readable, readWhole } from "./read-parts.ts";
import type { WorkspaceStateRow } from "./row.ts";
import { type Summarized, summarizeStates, type Summary } from "./summarize-states.ts";

const mostInTurnBytes = 512 * 1024;

type SummaryParts = Pick<Broker, "db" | "seals" | "states">;

/** What to make of one state, or of two, and whose leaving ends it. */
type SummaryRequest = {
  readonly wanted: Summary;
  readonly states: readonly WorkspaceStateRow[];
  readonly gone: AbortSignal;
};

/**
 * The contents of stored states as JSON for people; 409 when one is not a Terraform state. Large ones are parsed in a
 * child process, so that other requests are not delayed; 503 when too many are waiting, and 409 when they take more memory than it may have.
 */
export async function readSummary(
  parts: SummaryParts,
  { wanted, states, gone }: SummaryRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const other = states.find(({ serial }) => serial === null);
  if (other !== undefined) throw notTerraform(other.revision);
  const orgId = states[0]?.org_id ?? "";
  const stored = states.map((state) => openStored(parts, state));
  const sizeBytes = stored.reduce((sum, one) => sum + one.sizeBytes, 0);
  const summarized =
    sizeBytes <= mostInTurnBytes
      ? summarizeStates(wanted, await Promise.all(stored.map(readWhole)))
      : await summarizeElsewhere(parts, { orgId, wanted, stored, gone });
  if ("json" in summarized) return summarized.json;
  throw notTerraform(states[summarized.notTerraform]?.revision ?? 0);
}

/** The states are read when it is their turn, and go on piece by piece: this process never holds a whole one. */
async function summarizeElsewhere(
  { states }: Pick<SummaryParts, "states">,
  {
    orgId,
    wanted,
    stored,
    gone,
  }: Pick<SummaryRequest, "wanted" | "gone"> & {
    readonly orgId: string;
    readonly stored: readonly Readable[];
  },
): Promise<Summarized> {
  const asked = { wanted };
  const { told, bytes } = await states.run(
    { orgId, kind: "states.summarize", asked, bytes: stored, outOfMemory: tooLarge },
    gone,
  );
  const { notTerraform: nth } = told;
  return nth === undefined ? { json: bytes[0] ?? new Uint8Array() } : { notTerraform: nth };
}

const notTerraform = (revision: number): Error =>
  problem.conflict("state_not_terraform", `Revision ${revision} is not a Terraform state.`);

const tooLarge = () =>
  problem.conflict(
    "state_too_large_to_read",
    "The state is too large for this view. Read its contents instead.",
  );
