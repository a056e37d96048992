import type { Db } from "../database/connect.ts";

/**
 * Keeps, for the minute that has just ended, how often each process had beaten by then; answers how many
 * processes beat in it. A minute that is rolled up again stays as it is.
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
