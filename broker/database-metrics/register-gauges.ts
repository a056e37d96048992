import { runnerStatuses } from "../../shared/api/runner.ts";
import { runnerJobGroups } from "../../shared/runner-job-types.ts";
import type { Labels, Metrics } from "../metrics.ts";
import { endTotals, secondsByLabels } from "./fold-tallies.ts";
import type { GroupFigures } from "./queries.ts";
import type { FiguresTaken } from "./take-figures.ts";
import { secondsBounds } from "./tally-job-ends.ts";

type Value = readonly [Labels, number];
type Read = () => FiguresTaken | undefined;

/** Registers every family that comes from the database; before the first figures they have no values. */
export function registerGauges(metrics: Metrics, read: Read): void {
  const gauge = (name: string, help: string, of: (taken: FiguresTaken) => Iterable<Value>): void =>
    metrics.gauge(name, help, () => {
      const taken = read();
      return taken === undefined ? [] : of(taken);
    });
  registerJobs(metrics, gauge, read);

  gauge("svc_runners", "Runners, by status.", ({ runners }) => {
    const known = new Map(runners.map((row) => [row.status, row.runners]));
    return runnerStatuses.map((status) => [{ status }, known.get(status) ?? 0] as const);
  });
  gauge("svc_queue_signals", "Live signals of all queues, by status.", ({ signals }) => [
    [{ status: "queued" }, signals.queued],
    [{ status: "in-flight" }, signals.in_flight],
    [{ status: "retrying" }, signals.retrying],
  ]);
  gauge(
    "svc_queue_oldest_waiting_seconds",
    "Age of the oldest signal that is the first in its line; 0 when none waits.",
    ({ signals }) => one(Math.max(0, signals.oldest_seconds)),
  );
  gauge(
    "svc_emitter_overdue_seconds",
    "For how long the emitter that is most overdue has been; 0 when none is.",
    ({ emitterDelay }) => one(emitterDelay),
  );
  gauge(
    "svc_artifacts_to_delete",
    "Artifacts that nothing needs and the registry still has.",
    ({ artifacts }) => one(artifacts.waiting),
  );
  gauge(
    "svc_registry_refuses_deletes",
    "1 where the registry did not delete what it was asked to within a day.",
    ({ artifacts }) => one(artifacts.refusing > 0 ? 1 : 0),
  );
  gauge(
    "svc_heartbeat_age_seconds",
    "Longest time since the last heartbeat of a live process.",
    ({ longestSilence }) => one(longestSilence),
  );
  gauge(
    "svc_pg_pool_in_use",
    "Connections of this broker's pool that run a statement (sampled).",
    ({ busyConnections }) => one(busyConnections),
  );
  gauge(
    "svc_pg_pool_answer_seconds",
    "Time of an empty statement on this broker's pool, including the wait for a connection.",
    ({ poolAnswerSeconds }) => one(poolAnswerSeconds),
  );
  gauge(
    "svc_figures_age_seconds",
    "Age of the metrics that are read from the database.",
    ({ takenAtMs }) => one((performance.now() - takenAtMs) / 1000),
  );
}

function registerJobs(
  metrics: Metrics,
  gauge: (name: string, help: string, of: (taken: FiguresTaken) => Iterable<Value>) => void,
  read: Read,
): void {
  gauge("svc_jobs", "Jobs that have not ended, by group and status.", ({ groups }) =>
    byGroup(groups, (group, row) => [
      [{ group, status: "queued" }, row?.queued ?? 0],
      [{ group, status: "available" }, row?.available ?? 0],
      [{ group, status: "in-progress" }, row?.in_progress ?? 0],
    ]),
  );
  gauge("svc_queue_depth", "Jobs without a slot.", ({ groups }) =>
    byGroup(groups, (group, row) => [[{ group }, row?.depth ?? 0]]),
  );
  gauge(
    "svc_queue_in_flight",
    "Slots in use by jobs that are available, in progress or stopping.",
    ({ groups }) => byGroup(groups, (group, row) => [[{ group }, row?.in_flight ?? 0]]),
  );
  gauge(
    "svc_queue_capacity",
    "Slots that the settings and live processes allow, minus paused ones.",
    ({ groups }) => byGroup(groups, (group, row) => [[{ group }, row?.capacity ?? 0]]),
  );
  gauge(
    "svc_oldest_waiting_seconds",
    "Age of the oldest job that no process has claimed; 0 when none waits.",
    ({ oldest }) => {
      const ages = new Map(oldest.map((row) => [row.job_group, row.seconds]));
      return runnerJobGroups.map((group) => [{ group }, ages.get(group) ?? 0] as const);
    },
  );
  metrics.total(
    "svc_jobs_total",
    "Ended jobs. Every broker reports the same value: use max, not sum.",
    () => endTotals(read()?.tallies ?? []),
  );
  metrics.distribution(
    "svc_job_queue_seconds",
    "Time from enqueue to first claim of ended jobs. Every broker reports the same value.",
    secondsBounds,
    () => secondsByLabels(read()?.tallies ?? [], "queue", (row) => ({ group: row.job_group })),
  );
  metrics.distribution(
    "svc_job_run_seconds",
    "Time from first claim to end. Every broker reports the same value.",
    secondsBounds,
    () =>
      secondsByLabels(read()?.tallies ?? [], "run", (row) => ({
        group: row.job_group,
        result: row.status,
      })),
  );
}

function byGroup(
  rows: readonly GroupFigures[],
  values: (group: string, row: GroupFigures | undefined) => readonly Value[],
): Value[] {
  const known = new Map(rows.map((row) => [row.job_group, row]));
  return runnerJobGroups.flatMap((group) => values(group, known.get(group)));
}

function one(value: number): Value[] {
  return [[{}, value]];
}
