import { mostRescued } from "../../shared/api/rescued-states.ts";
import type { Broker } from "../broker.ts";
import type { Actor } from "../tokens/actor.ts";
import { discardUpload, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import type { StateFacts } from "./state-scan.ts";
import { factColumns, type Stored, storedColumns } from "./store-parts.ts";

/** A state whose parts are stored already. */
type StoredState = {
  readonly id: string;
  readonly workspace_id: string;
  readonly runner_job_id: string | null;
  readonly stored: Stored;
  readonly facts: StateFacts;
};

const mebibyte = 1024 * 1024;

/**
 * Keeps a state that could not be written aside; returns its id. The same bytes again return the id of the kept ones;
 * undefined when it is the current state. Refuses more than the limits allow.
 */
export async function keepRescued(
  broker: Pick<Broker, "db" | "config">,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  { stored, facts, ...named }: StoredState,
): Promise<string | undefined> {
  const { states, jobMib, workspaceMib } = mostRescued;
  const most = {
    states,
    job_bytes: jobMib * mebibyte,
    workspace_bytes: workspaceMib * mebibyte,
    org_bytes: broker.config.rescuedOrgMib * mebibyte,
  };
  const row = {
    ...named,
    ...factColumns(facts),
    ...storedColumns(stored),
    org_id: orgId,
    created_by_id: actorId,
  };
  const [outcome] = await broker.db<Outcome[]>`
    select o.* from keep_rescued_within(
      jsonb_populate_record(null::terraform_rescued_states, ${JSON.stringify(row)}::text::jsonb),
      ${stored.onlyPart}::bytea, ${JSON.stringify(stored.fingerprints)}::text::jsonb, ${JSON.stringify(most)}::text::jsonb) o`;
  if (outcome === undefined) throw new Error("keep_rescued_within answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
  if (outcome.outcome !== "kept") await discardUpload(broker.db, orgId, named.id);
  const kept = outcome.holder?.["id"];
  return typeof kept === "string" ? kept : undefined;
}
