import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import type { RunnerProcess } from "../../shared/api/runner-process.ts";
import { formatDuration } from "../../shared/duration.ts";
import { logStreamOf } from "../logs/store/row.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { StatusHistoryRow } from "../status/row.ts";
import type { ProcessRow, ProcessShutdownRow } from "./row.ts";

type History = readonly StatusHistoryRow[] | undefined;

/** A process as the API shows it. */
export function toProcess(
  row: ProcessRow,
  { history, shutdowns }: { readonly history: History; readonly shutdowns: ProcessShutdown[] },
): RunnerProcess {
  const isOver = row.status === "inactive" || row.status === "shut-down";
  const until = isOver ? row.status_at : row.read_at;
  return {
    id: row.id,
    org_id: row.org_id,
    runner_id: row.runner_id,
    type: row.type,
    version: row.version,
    groups: row.serves,
    started_at: row.started_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    uptime: Math.max(0, until.getTime() - row.started_at.getTime()) * 1e6,
    initial_health_check: row.first_beat_at !== null,
    restart_requested: row.draining === "restart" && !isOver,
    composite_status: toCompositeStatus(
      { status: row.status, description: row.status_description, at: row.status_at },
      history,
    ),
    log_stream_id: logStreamOf(row.id),
    labels: [row.is_ours ? "agent" : "third-party"],
    warnings: isOver ? [] : warningsOf(row),
    next_scheduled_restart_at: row.next_restart_at?.toISOString() ?? null,
    previous_scheduled_restart_at: row.previous_restart_at?.toISOString() ?? null,
    shutdowns,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function warningsOf(row: ProcessRow): string[] {
  const warnings: string[] = [];
  if (row.status === "offline") {
    const silentNs = (row.read_at.getTime() - row.last_seen_at.getTime()) * 1e6;
    warnings.push(`no heartbeat for ${formatDuration(silentNs)}`);
  }
  if (row.going_away_at !== null) warnings.push("its host is shutting down");
  else if (row.draining !== null) warnings.push("it is shutting down and accepts no jobs");
  else if (row.takes_no_jobs !== null) warnings.push(`takes no jobs: ${row.takes_no_jobs}`);
  if (row.must_register_anew) warnings.push("it was offline for too long and must register again");
  return warnings;
}

/** A shutdown record as the API shows it. */
export function toShutdown(row: ProcessShutdownRow, history: History): ProcessShutdown {
  return {
    id: row.id,
    org_id: row.org_id,
    runner_process_id: row.runner_process_id,
    type: row.type,
    status: row.status,
    status_description: row.status_description,
    composite_status: toCompositeStatus(
      { status: row.status, description: row.status_description, at: row.updated_at },
      history,
    ),
    reason: row.reason,
    metadata: row.metadata,
    jobs: row.jobs,
    deadline_at: row.deadline_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}
