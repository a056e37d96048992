import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../broker/database/connect.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { fillLiveJobs } from "./support/fill-jobs.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeJobs = 1_000_000;
const wholeDue = 10_000;
const runners = 100;
const times = 200;
const patienceS = 60;

type Explained = {
  "QUERY PLAN": [
    {
      "Execution Time": number;
      Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
    },
  ];
};

/**
 * One million jobs wait. What a sweep costs when nothing is due, and how long after their instant the last of
 * 10,000 overall timeouts that fall due together is acted on: a broker's own clocks cancel the jobs.
 */
export const millionLive: Bench = {
  what: "one million live jobs: an empty sweep, and 10,000 deadlines in one instant",
  run: async ({ scale }, tell) => {
    const jobs = Math.round(wholeJobs * scale);
    const due = Math.round(wholeDue * scale);
    const fill = async (db: Db): Promise<void> => {
      const { orgId, agents } = await givenFleet(db, runners, 0);
      const runnerIds = agents.map(({ runnerId }) => runnerId);
      await fillLiveJobs(db, { orgId, runnerIds, count: jobs });
    };
    await withStage(
      async (stage) => {
        await tellEmptySweep(stage, tell, `${jobs.toLocaleString("en")} live jobs`);
        await tellStorm(stage, tell, due);
      },
      { fill },
    );
  },
};

async function tellEmptySweep({ db }: Stage, tell: Tell, note: string): Promise<void> {
  const one = await db.reserve(); // one connection, whose plans are made once, as a broker's are
  const query = `select id, runner_id, job_group from runner_job_live
                  where deadline_at <= $1 order by deadline_at limit 1000`;
  const parts = {
    "what is due": () =>
      one.unsafe(`explain (analyze, buffers, format json) ${query}`, [new Date()]),
    sweep_jobs: () =>
      one.unsafe(`explain (analyze, buffers, format json) select * from sweep_jobs(1000)`),
  };
  for (const [name, explain] of Object.entries(parts)) {
    const took: number[] = [];
    const buffers: number[] = [];
    for (let at = 0; at < times; at += 1) {
      const [row] = (await explain()) as unknown as Explained[];
      const explained = row?.["QUERY PLAN"][0];
      if (explained === undefined) throw new Error("there was nothing explained");
      took.push(explained["Execution Time"]);
      buffers.push(explained.Plan["Shared Hit Blocks"] + explained.Plan["Shared Read Blocks"]);
    }
    const figure = `empty sweep, ${name}`;
    const p50 = quantile(took, 0.5);
    tell({ figure: `${figure}, p50`, value: p50, unit: "ms", target: { atMost: 0.2 }, note });
    const most = quantile(buffers, 0.5);
    tell({ figure: `${figure}, p50`, value: most, unit: "buffers", target: { atMost: 20 } });
  }
  one.release();
}

type Seen = { count: number; late_ms: number };

async function tellStorm({ db, startBroker }: Stage, tell: Tell, due: number): Promise<void> {
  const broker = await startBroker();
  await sleep(3_000);
  const [instant] = await db<{ at: Date }[]>`
    with t as materialized (select date_trunc('milliseconds', svc_now() + interval '8 s') as at),
    picked as (
      select id from (select id, row_number() over (partition by runner_id order by id) as place from runner_job_live) l
       order by place, id limit ${due}
    ), hurried as (
      update runner_job_live l set overall_at = t.at, deadline_at = t.at from t, picked p where l.id = p.id
    )
    select at from t`;
  if (instant === undefined) throw new Error("there is no instant");
  const seenAll = async (): Promise<Seen> => {
    const [seen] = await db<Seen[]>`
      select count(*)::int as count, extract(epoch from svc_now() - ${instant.at}::timestamptz)::float8 * 1000 as late_ms
        from runner_job_ends`;
    return seen ?? { count: 0, late_ms: 0 };
  };
  let seen = await seenAll();
  if (seen.late_ms > 0) throw new Error("the deadlines passed before they were all set");
  while (seen.count < due && seen.late_ms < patienceS * 1_000) {
    await sleep(10);
    seen = await seenAll();
  }
  const [last] = await db<{ late_ms: number; batches: number }[]>`
    select extract(epoch from max(finished_at) - ${instant.at}::timestamptz)::float8 * 1000 as late_ms,
           count(distinct finished_at)::int as batches from runner_job_ends`;
  tell({
    figure: `${due.toLocaleString("en")} deadlines in one instant, until the last is seen acted on`,
    value: seen.count < due ? Number.POSITIVE_INFINITY : seen.late_ms,
    unit: "ms",
    target: { atMost: 1_000 },
    note: `${last?.batches ?? 0} batches; the last began after ${Math.round(last?.late_ms ?? 0)} ms`,
  });
  await broker.stop();
}
