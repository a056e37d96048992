import type { Db } from "../database/connect.ts";

/**
 * Stores, for the last full minute, each process's count of heartbeats; returns how many
 * processes sent some. Rolling a minute up again changes nothing.
 */
export async function rollUpBeats(db: Db): Promise<number> {
  const written = await db`
    insert into runner_beat_minutes (process_id, minute_bucket, org_id, runner_id, beats)
    select b.process_id, m.bucket, b.org_id, b.runner_id, b.beats
      from (select date_trunc('minute', svc_now()) - interval '1 minute' as bucket) m
      join runner_process_beats b on b.last_beat_at >= m.bucket
        on conflict do nothing`;
  return written.count;
}
