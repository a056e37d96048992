import type { LatestHeartBeat } from "../../shared/api/heart-beat.ts";
import { problem } from "../../shared/problem.ts";
import type { RunnerProcessType } from "../../shared/process-groups.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { startedAt } from "./take-heart-beat.ts";

type LatestRow = {
  process_id: string;
  type: RunnerProcessType;
  version: string;
  alive_time: number;
  last_beat_at: Date;
};

/** The runner's latest heartbeat for each type of process that ever sent one. */
export async function latestHeartBeats(
  db: Db,
  org: OrgId,
  runnerId: string,
): Promise<Partial<Record<RunnerProcessType, LatestHeartBeat>>> {
  const rows = await db<LatestRow[]>`
    select distinct on (p.type) w.process_id, p.type, w.version, w.alive_time::float8 as alive_time, w.last_beat_at
      from runner_process_beats w join runner_processes p on p.id = w.process_id
     where w.org_id = ${org} and w.runner_id = ${runnerId} and w.last_beat_at is not null
     order by p.type, w.last_beat_at desc, w.process_id`;
  return Object.fromEntries(rows.map((row) => [row.type, toLatest(row, runnerId)]));
}

/** The latest heartbeat of a runner, or of one of its processes; 404 where there is none. */
export async function latestHeartBeat(
  db: Db,
  org: OrgId,
  { runnerId, processId }: { readonly runnerId: string; readonly processId?: string },
): Promise<LatestHeartBeat> {
  const [row] = await db<LatestRow[]>`
    select w.process_id, p.type, w.version, w.alive_time::float8 as alive_time, w.last_beat_at
      from runner_process_beats w join runner_processes p on p.id = w.process_id
     where w.org_id = ${org} and w.runner_id = ${runnerId} and w.last_beat_at is not null
       ${processId === undefined ? db`` : db`and w.process_id = ${processId}`}
     order by w.last_beat_at desc, w.process_id limit 1`;
  if (row === undefined) throw problem.notFound("heart beat");
  return toLatest(row, runnerId);
}

function toLatest(row: LatestRow, runnerId: string): LatestHeartBeat {
  return {
    runner_id: runnerId,
    process: row.type,
    process_id: row.process_id,
    version: row.version,
    started_at: startedAt(row.last_beat_at, row.alive_time),
    alive_time: row.alive_time,
    created_at: row.last_beat_at.toISOString(),
  };
}
