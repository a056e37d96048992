import type { Runner, RunnerOperation } from "../../shared/api/runner.ts";
import { runnerJobGroups } from "../../shared/runner-job-types.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { StatusHistoryRow } from "../status/row.ts";
import type { LivingRunner, ProcessSummary, QueueWithUse } from "./queries.ts";
import type { RunnerOperationRow } from "./row.ts";
import type { WantedVersion } from "./runner-versions.ts";
import { toRunnerVersions } from "./runner-versions.ts";
import { toPause } from "./to-pause.ts";
import { toRunnerQueue } from "./to-runner-queue.ts";

/** What belongs to one runner. */
export type RunnerParts = {
  readonly history: readonly StatusHistoryRow[] | undefined;
  readonly queues: readonly QueueWithUse[];
  readonly operations: readonly RunnerOperationRow[];
  readonly processes: ProcessSummary | undefined;
  readonly wanted: WantedVersion;
};

/** A runner as the API shows it in lists. */
export function toRunner(row: LivingRunner, parts: RunnerParts): Runner {
  const pause = toPause(row);
  const present = { status: row.status, description: row.status_description, at: row.status_at };
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    display_name: row.display_name,
    runner_group_id: row.runner_group_id,
    runner_group_name: row.runner_group_name,
    install_id: row.install_id,
    lifecycle: row.lifecycle,
    status: row.status,
    status_description: row.status_description,
    status_v2: toCompositeStatus(present, parts.history),
    restart_requested: row.restart_requested,
    process_summary: {
      live: parts.processes?.live ?? 0,
      versions: parts.processes?.versions ?? [],
      last_seen_at: parts.processes?.last_seen_at?.toISOString() ?? null,
    },
    versions: toRunnerVersions(parts.processes?.serving_versions ?? [], parts.wanted),
    warnings: warningsOf(row, pause),
    pause,
    operations: parts.operations.map(toOperation),
    queues: parts.queues.toSorted((a, b) => placeOf(a) - placeOf(b)).map(toRunnerQueue),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** What is wrong with a runner, or keeps it from working, as sentences. */
export function warningsOf(row: LivingRunner, pause: Runner["pause"]): string[] {
  return pause === null ? row.warnings : [...row.warnings, pausedWords(pause)];
}

const placeOf = (row: QueueWithUse): number => runnerJobGroups.indexOf(row.job_group);

function pausedWords({ until, note }: NonNullable<Runner["pause"]>): string {
  const end = until === null ? "until it is resumed" : `until ${until}`;
  return note === "" ? `paused ${end}` : `paused ${end}: ${note}`;
}

function toOperation(row: RunnerOperationRow): RunnerOperation {
  const { status, status_description: description, created_at: at } = row;
  return {
    id: row.id,
    runner_id: row.runner_id,
    operation_type: row.operation_type,
    status,
    status_description: description,
    status_v2: toCompositeStatus({ status, description, at }),
    log_stream: null,
    created_at: at.toISOString(),
    created_by_id: row.created_by_id,
  };
}
