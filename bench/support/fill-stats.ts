import type { Db } from "../../broker/database/connect.ts";

const types = 6;
const groups = ["deploy", "build", "sync", "actions", "operations"];

/** Rollups as two years of an org leave them: in each span ten runner groups and all others, six job types, five job groups. */
export async function fillRollups(db: Db, orgId: string): Promise<void> {
  const spans = db`
    (values (60, interval '2 days'), (300, interval '14 days'), (3600, interval '90 days'), (86400, interval '730 days')) w (width_s, kept)
      cross join lateral generate_series(rollup_start(w.width_s, svc_now() - w.kept), svc_now(), w.width_s * interval '1 second') at`;
  const labels = db`
    (select id from unnest(named_runner_groups(${orgId})) id union all values ('other'), ('all')) g (id)`;
  await db`insert into rollup_coverage select width_s, at, width_s / 60 from ${spans}`;
  await db`
    insert into job_rollups
    select ${orgId}, width_s, at, g.id, (${groups}::text[])[1 + t % ${groups.length}], 'type-' || t, 10, 8, 1, 0, 0, 1,
           '{"20":3,"24":5,"30":2}', 1.8, '{"30":2,"35":4,"44":2}', 20
      from ${spans} cross join ${labels} cross join generate_series(1, ${types}) t
     where g.id in ('other', 'all') or t <= 3`;
  await db`
    insert into queue_rollups
    select ${orgId}, width_s, at, g.id, j, 10, 12, 4, 5, 8, 30
      from ${spans} cross join ${labels} cross join unnest(${groups}::text[]) j`;
  await db`
    insert into org_rollups select ${orgId}, width_s, at, 1900, 100, 100, 5, 9, 1 from ${spans}`;
  await db`vacuum (analyze, freeze) job_rollups, queue_rollups, org_rollups, rollup_coverage`;
}

/** Five queues a runner, four of ten with work; and how each runner and its process were in the last weeks. */
export async function fillRunners(db: Db, orgId: string): Promise<void> {
  await db`
    insert into runner_queues (runner_id, job_group, org_id, parallelism, offered, slots)
    select u.id, g, ${orgId}, 2, 2, 2 from runners u cross join unnest(${groups}::text[]) g on conflict do nothing`;
  await db`
    insert into status_history (owner_id, org_id, status, description, at)
    select o.id, ${orgId}, case when n % 2 = 0 then 'active' else 'offline' end, 'a bench', svc_now() - interval '5 hours' * (30 - n)
      from (select id from runners union all select id from runner_processes) o cross join generate_series(0, 29) n
     order by n, o.id`;
  await db`vacuum (analyze, freeze) runner_queues, status_history`;
}
