import type { RunnerCard, RunnerConnection } from "../../shared/api/runner-card.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listRecentHealthChecks } from "../processes/health-checks.ts";
import { latestHeartBeats } from "../processes/latest-heart-beats.ts";
import type { Actor } from "../tokens/actor.ts";
import { countLiveProcesses, findRunner, listRunnerQueues, type LivingRunner } from "./queries.ts";
import { showRunner } from "./show-runner.ts";
import { toPause } from "./to-pause.ts";
import { toRunnerQueue } from "./to-runner-queue.ts";
import { warningsOf } from "./to-runner.ts";

const hourNs = 3600e9;

/** Whether a runner is connected; 404 when there is none. */
export async function showConnection(db: Db, org: OrgId, id: string): Promise<RunnerConnection> {
  await requireRunner(db, org, id);
  return connectionOf(db, org, id);
}

/** A runner's card; 404 when there is no such runner. */
export async function showCard(db: Db, actor: Actor, id: string): Promise<RunnerCard> {
  const { orgId: org } = actor;
  const row = await requireRunner(db, org, id);
  const asked = { windowNs: hourNs, processId: undefined, limit: 60, offset: 0 };
  const [connection, queueRows, beats, checks, runner] = await Promise.all([
    connectionOf(db, org, id),
    listRunnerQueues(db, org, [id]),
    latestHeartBeats(db, org, id),
    listRecentHealthChecks(db, { orgId: org, runnerId: id }, asked),
    showRunner(db, actor, id),
  ]);
  const queues = queueRows.map(toRunnerQueue);
  const newest = Object.values(beats).toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0];
  return {
    ...connection,
    name: row.name,
    display_name: row.display_name,
    status: row.status,
    status_description: row.status_description,
    warnings: warningsOf(row, toPause(row)),
    paused: queues.some(({ paused }) => paused),
    waiting_jobs: queues.reduce((sum, { depth }) => sum + depth, 0),
    running_jobs: queues.reduce((sum, { in_flight }) => sum + in_flight, 0),
    latest_heart_beats: beats,
    ...(newest !== undefined && { latest_heart_beat: newest }),
    runner,
    recent_health_checks: checks,
  };
}

async function requireRunner(db: Db, org: OrgId, id: string): Promise<LivingRunner> {
  const row = await findRunner(db, org, id);
  if (row === undefined) throw problem.notFound("runner");
  return row;
}

async function connectionOf(db: Db, org: OrgId, id: string): Promise<RunnerConnection> {
  const { live, latestBeatAt } = await countLiveProcesses(db, org, id);
  return {
    runner_id: id,
    connected: live > 0,
    live_processes: live,
    latest_heart_beat_at: latestBeatAt?.toISOString() ?? null,
    latest_heartbeat_timestamp: Math.floor((latestBeatAt?.getTime() ?? 0) / 1000),
  };
}
