import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./support/profile.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeEmitters = 100_000;
const wholeDue = 10_000;
const queues = 1_000;
const idleS = 20;
const patienceS = 60;

/**
 * One hundred thousand emitters. What a broker's looks cost Postgres in a second in which none is due, and how late the last of 10,000
 * ticks of one instant is emitted.
 */
export const emitters: Bench = {
  what: "100,000 emitters: an idle second, and 10,000 ticks in one instant",
  run: async (options, tell) => {
    const { scale } = options;
    const count = Math.round(wholeEmitters * scale);
    const due = Math.round(wholeDue * scale);
    await withStage(
      async (stage) => {
        await stage.db`create extension if not exists pg_stat_statements`;
        const broker = await stage.startBroker(profiledBroker(options));
        await tellIdle(stage.db, tell, `${count.toLocaleString("en")} emitters`);
        await resetProfile(stage.db, options);
        await tellStorm(stage, tell, due);
        await broker.stop();
        await writeProfile(stage.db, options, "emitters");
      },
      {
        fill: async (db) => await fillEmitters(db, count),
        settings: { shared_preload_libraries: "pg_stat_statements", ...profiledSettings(options) },
      },
    );
  },
};

/** Emitters of one tick an hour, the next in hours. */
async function fillEmitters(db: Db, count: number): Promise<void> {
  const { orgId } = await givenFleet(db, 0, 0);
  await db`
    with q as (
      select 'que_00' || lpad(n::text, 24, '0') as id from generate_series(1, ${queues}::int) n
    ), made as (
      insert into queues (id, org_id, name, idle_timeout) select id, ${orgId}, id, 0 from q
    )
    insert into queue_counters (queue_id, org_id, max_depth, max_in_flight) select id, ${orgId}, 10000, 1 from q`;
  await db`
    insert into queue_emitters (id, org_id, queue_id, name, mode, cron_schedule, overlap_policy, signal_type, runs, max_executions,
                                retry_delay, contents, next_tick_at, next_emit_at, due_at)
    select 'emt_00' || lpad(n::text, 24, '0'), ${orgId}, 'que_00' || lpad((1 + n % ${queues}::int)::text, 24, '0'), n::text, 'cron',
           '0 * * * *', 'skip', 'work', 'pull', 3, 1000000000, '{"install_id":"ins_1"}', t.at, t.at, t.at
      from generate_series(1, ${count}::int) n, (select date_trunc('hour', svc_now()) + interval '5 hours' as at) t`;
  await db`vacuum (analyze, freeze) queues, queue_counters, queue_emitters`;
}

async function tellIdle(db: Db, tell: Tell, note: string): Promise<void> {
  await sleep(3_000);
  const spent = async (): Promise<number> => {
    const [row] = await db<{ ms: number }[]>`
      select coalesce(sum(total_exec_time + total_plan_time), 0)::float8 as ms
        from pg_stat_statements where query like '%from queue_emitters%' and query not like '%pg_stat%'`;
    return row?.ms ?? 0;
  };
  const before = await spent();
  await sleep(idleS * 1_000);
  const value = ((await spent()) - before) / idleS;
  tell({ figure: "an idle second of a broker", value, unit: "ms", target: { atMost: 1 }, note });
}

async function tellStorm({ db }: Stage, tell: Tell, due: number): Promise<void> {
  const [instant] = await db<{ at: Date }[]>`
    with later as materialized (select date_trunc('minute', svc_now() + interval '70 s') as at), hurried as (
      update queue_emitters e set cron_schedule = '* * * * *', next_tick_at = l.at, next_emit_at = l.at, due_at = l.at
        from later l where e.id in (select x.id from queue_emitters x order by x.id limit ${due})
    )
    select at from later`;
  if (instant === undefined) throw new Error("there is no instant");
  const emitted = async (): Promise<{ count: number; late_ms: number; last_ms: number }> => {
    const [seen] = await db<{ count: number; late_ms: number; last_ms: number }[]>`
      select count(*)::int as count, extract(epoch from svc_now() - ${instant.at}::timestamptz)::float8 * 1000 as late_ms,
             coalesce(extract(epoch from max(created_at) - ${instant.at}::timestamptz)::float8 * 1000, 0) as last_ms
        from queue_signals where scheduled_for = ${instant.at}`;
    return seen ?? { count: 0, late_ms: 0, last_ms: 0 };
  };
  let seen = await emitted();
  while (seen.count < due && seen.late_ms < patienceS * 1_000) {
    await sleep(50);
    seen = await emitted();
  }
  tell({
    figure: `${due.toLocaleString("en")} ticks in one instant, until the last is seen emitted`,
    value: seen.count < due ? Number.POSITIVE_INFINITY : seen.late_ms,
    unit: "ms",
    target: { atMost: 2_000 },
    note: `one broker; the last statement began after ${Math.round(seen.last_ms)} ms`,
  });
}
