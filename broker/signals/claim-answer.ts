import type { ClaimedSignal } from "./claim-signals.ts";
import { toSignalContext } from "./to-queue-signal.ts";

/** The body of a claim's answer. Data and results go in as their source text, as they were sent. */
export function claimAnswer(signals: readonly ClaimedSignal[], now: Date): string {
  return `{"signals":[${signals.map(textOf).join(",")}],"now":"${now.toISOString()}"}`;
}

function textOf({ row, signal, causeResult }: ClaimedSignal): string {
  const told = JSON.stringify({
    id: row.id,
    org_id: row.org_id,
    queue_id: row.queue_id,
    type: row.type,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    signal_context: toSignalContext(row),
    dedupe_key: row.dedupe_key,
    emitter_id: row.emitter_id,
    execution_count: row.execution_count,
    max_executions: row.max_executions,
    expires_at: row.expires_at,
    created_at: row.created_at,
    lease_id: row.lease_id,
    lease_until: row.lease_until,
  });
  return `${told.slice(0, -1)},"cause":${causeOf(row, causeResult)},"signal":${signal}}`;
}

function causeOf(row: ClaimedSignal["row"], result: string | null): string {
  if (row.caused_by === null) return "null";
  const told = JSON.stringify({
    signal_id: row.caused_by,
    type: row.cause_type,
    status: row.cause_status,
    status_description: row.cause_description,
    finished_at: row.cause_finished_at,
  });
  return `${told.slice(0, -1)},"result":${result ?? "null"}}`;
}
