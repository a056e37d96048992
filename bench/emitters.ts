import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import { jitterMs } from "../broker/emitters/read-schedule.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./support/profile.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeEmitters = 100_000;
const wholeDue = 10_000;
const queues = 1_000;
const idleS = 20;
const patienceS = 60;
/** Of ticks that are spread over a minute. */
const windowNs = 55e9;

/**
 * One hundred thousand emitters. What a broker's looks cost Postgres in a second in which none is due, and how late 10,000 ticks of a
 * minute are emitted: spread over it by jitter, and all in one instant.
 */
export const emitters: Bench = {
  what: "100,000 emitters: an idle second, and 10,000 ticks of a minute, spread over it and in one instant",
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
        for (const [name, jitterNs] of [
          ["spread over a minute", windowNs],
          ["in one instant", 0],
        ] as const)
          await tellStorm(stage, tell, { due, name, jitterNs });
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
        from pg_stat_statements
       where (query like '%from queue_emitters%' or query like '%from list_due_emitters%') and query not like '%pg_stat%'`;
    return row?.ms ?? 0;
  };
  const before = await spent();
  await sleep(idleS * 1_000);
  const value = ((await spent()) - before) / idleS;
  tell({ figure: "an idle second of a broker", value, unit: "ms", target: { atMost: 1 }, note });
}

type Storm = { readonly due: number; readonly name: string; readonly jitterNs: number };
type Seen = {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
};

async function tellStorm({ db }: Stage, tell: Tell, { due, name, jitterNs }: Storm): Promise<void> {
  await giveTicks(db, due, jitterNs);
  let seen = await lateness(db);
  for (let waitedS = 0; seen.count < due && waitedS < 140 + patienceS; waitedS += 1) {
    await sleep(1_000);
    seen = await lateness(db);
  }
  tell({
    figure: `${due.toLocaleString("en")} ticks ${name}: how late the last is enqueued`,
    value: seen.count < due ? Number.POSITIVE_INFINITY : seen.max,
    unit: "ms",
    target: { atMost: 2_000 },
    note: `one broker; p50 ${Math.round(seen.p50)}, p99 ${Math.round(seen.p99)} ms`,
  });
}

/** So many emitters that have no other tick in the next minutes get one at the minute after the next. */
async function giveTicks(db: Db, due: number, jitterNs: number): Promise<void> {
  const rows = await db<{ id: string }[]>`
    select id from queue_emitters where due_at > svc_now() + interval '2 hours' order by id limit ${due}`;
  const ids = rows.map(({ id }) => id);
  await db`drop table if exists bench_ticks`;
  await db`
    create table bench_ticks as
    select t.id, l.at, l.at + t.ms * interval '1 ms' as emit_at
      from (select date_trunc('minute', svc_now() + interval '75 s') as at) l
     cross join unnest(${ids}::text[], ${ids.map((id) => jitterMs(id, jitterNs))}::int[]) t (id, ms)`;
  await db`
    update queue_emitters e
       set cron_schedule = extract(minute from t.at)::text || ' * * * *', jitter_window = ${jitterNs}, next_tick_at = t.at,
           next_emit_at = t.emit_at, due_at = t.emit_at
      from bench_ticks t where e.id = t.id`;
}

async function lateness(db: Db): Promise<Seen> {
  const [seen] = await db<Seen[]>`
    select count(*)::int as count, coalesce(percentile_disc(0.5) within group (order by l.ms), 0) as p50,
           coalesce(percentile_disc(0.99) within group (order by l.ms), 0) as p99, coalesce(max(l.ms), 0) as max
      from (select extract(epoch from s.created_at - t.emit_at)::float8 * 1000 as ms
              from bench_ticks t join queue_signals s on s.emitter_id = t.id and s.scheduled_for = t.at) l`;
  return seen ?? { count: 0, p50: 0, p99: 0, max: 0 };
}
