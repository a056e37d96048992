import { mostRescued } from "../../shared/api/rescued-states.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { discardUpload, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import { makeStateScan, type StateFacts } from "./state-scan.ts";
import {
  factColumns,
  storeParts,
  storedColumns,
  unlessDiscarded,
  watchPieces,
} from "./store-parts.ts";

type Rescue = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  readonly pieces: AsyncIterable<Buffer>;
  /** Takes a permit for statements that may wait for the workspace; none is held while the body arrives. */
  readonly withPermit: WithPermit;
};

const mebibyte = 1024 * 1024;

/**
 * Stores a state that could not be written, completely or not at all; returns its id. The same bytes again return the id of
 * the stored ones; undefined when it is the current state. Refuses what is not a Terraform state, and more than the limits allow.
 */
export async function rescueState(
  broker: Pick<Broker, "db" | "seals" | "config">,
  actor: Pick<Actor, "id" | "orgId">,
  { workspaceId, jobId, pieces, withPermit }: Rescue,
): Promise<string | undefined> {
  const { orgId } = actor;
  const id = newId("tfs");
  const scan = makeStateScan();
  const { states, jobMib, workspaceMib } = mostRescued;
  const most = {
    states,
    job_bytes: jobMib * mebibyte,
    workspace_bytes: workspaceMib * mebibyte,
    org_bytes: broker.config.rescuedOrgMib * mebibyte,
  };
  return unlessDiscarded(broker, { orgId, id }, async () => {
    const stored = await storeParts(broker, { orgId, id }, watchPieces(pieces, scan.push));
    const facts = scan.end();
    requireSerial(facts);
    const row = {
      id,
      ...factColumns(facts),
      ...storedColumns(stored),
      org_id: orgId,
      workspace_id: workspaceId,
      runner_job_id: jobId,
      created_by_id: actor.id,
    };
    const [outcome] = await withPermit(
      () => broker.db<Outcome[]>`
        select o.* from keep_rescued_within(
          jsonb_populate_record(null::terraform_rescued_states, ${JSON.stringify(row)}::text::jsonb),
          ${stored.onlyPart}::bytea, ${JSON.stringify(stored.fingerprints)}::text::jsonb, ${JSON.stringify(most)}::text::jsonb) o`,
    );
    if (outcome === undefined) throw new Error("keep_rescued_within answered nothing");
    const refused = refusalOf(outcome);
    if (refused !== undefined) throw refused;
    if (outcome.outcome !== "kept") await discardUpload(broker.db, orgId, id);
    const kept = outcome.holder?.["id"];
    return typeof kept === "string" ? kept : undefined;
  });
}

function requireSerial({ serial }: StateFacts): void {
  if (serial !== undefined) return;
  const detail = "The state has no serial. Send errored.tfstate as Terraform wrote it.";
  throw problem.invalid([{ pointer: "#/serial", code: "required", detail }]);
}
