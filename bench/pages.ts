import type { Db } from "../broker/database/connect.ts";
import { mostCounted } from "../shared/api/bulk-runner-jobs.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { type Browsing, signInToBrowse } from "./support/browse.ts";
import { quantile } from "./support/figures.ts";
import { fillEndedJobs, fillLiveJobs } from "./support/fill-jobs.ts";
import { fillRollups, fillRunners } from "./support/fill-stats.ts";
import { type Fleet, givenFleet } from "./support/given-fleet.ts";
import { repeatFor } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeJobs = 1_000_000;
const runners = 2_000;
const mostMs = 150;
const mostKb = 120;

/** What is asked of each page in turn. */
export const pages: Bench = {
  what: "the dashboard's pages with a million jobs and 2,000 runners; their weight",
  run: async ({ scale, seconds, warmUpS }, tell) => {
    let fleet: Fleet | undefined;
    const fill = async (db: Db): Promise<void> => {
      fleet = await givenFleet(db, runners, 2);
      const { orgId, agents } = fleet;
      const runnerIds = agents.map(({ runnerId }) => runnerId);
      const count = Math.round((wholeJobs * scale) / 2);
      await fillRunners(db, orgId);
      await fillEndedJobs(db, { orgId, runnerIds, count });
      await fillLiveJobs(db, { orgId, runnerIds, count, first: count + 1 });
      await fillRollups(db, orgId);
    };
    const settings = { shared_preload_libraries: "pg_stat_statements" };
    await withStage(
      async (stage) => {
        if (fleet === undefined) throw new Error("the database was not filled");
        await stage.db`create extension if not exists pg_stat_statements`;
        const broker = await stage.startBroker();
        const browsing = await signInToBrowse(broker.url, fleet.adminToken);
        await tellPages(stage, browsing, { fleet, seconds, warmUpS, tell });
        await broker.stop();
      },
      { fill, settings },
    );
  },
};

async function addressesOf(db: Db, { agents }: Fleet): Promise<Record<string, string>> {
  const runner = agents[0]?.runnerId ?? "";
  const [one] = await db<{ live: string; ended: string; in_group: string }[]>`
    select (select max(id) from runner_job_live) as live, (select max(runner_job_id) from runner_job_ends) as ended,
           (select runner_group_id from runners where id = ${runner}) as in_group`;
  return {
    overview: "/",
    "overview, a week": "/?range=7d",
    jobs: "/jobs",
    "jobs that wait": "/jobs?status=waiting",
    "jobs that run": "/jobs?status=in-progress",
    "jobs that failed": "/jobs?status=failed",
    "jobs of a runner": `/jobs?runner_id=${runner}`,
    "waiting jobs of a runner": `/jobs?runner_id=${runner}&status=waiting`,
    "jobs of a type that is rare": "/jobs?type=helm-chart-deploy",
    [`the question about ${mostCounted.toLocaleString("en")} jobs or more`]:
      "/jobs/matching/cancel?status=waiting",
    "a job that waits": `/jobs/${one?.live}`,
    "a job that ended": `/jobs/${one?.ended}`,
    "its log": `/jobs/${one?.ended}/log`,
    runners: "/runners",
    "a runner": `/runners/${runner}`,
    "runners that are offline": "/runners?status=offline",
    groups: "/groups",
    "a group": `/groups/${one?.in_group}`,
    queues: "/queues",
    emitters: "/emitters",
    workspaces: "/workspaces",
    tokens: "/tokens",
    audit: "/audit",
    "your session": "/account",
  };
}

type Telling = {
  readonly fleet: Fleet;
  readonly seconds: number;
  readonly warmUpS: number;
  readonly tell: Tell;
};
type Own = { took: number[]; statements: number; databaseMs: number; packedBytes: number };

/** Each page in turn; Postgres counts what each asked, which no other load on the machine changes. */
async function tellPages(
  { db }: Stage,
  browsing: Browsing,
  { fleet, seconds, warmUpS, tell }: Telling,
): Promise<void> {
  const addresses = await addressesOf(db, fleet);
  const all = new Map<string, Own>();
  const turn = async (): Promise<void> => {
    for (const [name, address] of Object.entries(addresses)) {
      const own = all.get(name) ?? { took: [], statements: 0, databaseMs: 0, packedBytes: 0 };
      all.set(name, own);
      const before = await asked(db);
      const startedAtMs = performance.now();
      const { packedBytes } = await browsing.load(address);
      own.took.push(performance.now() - startedAtMs);
      own.packedBytes = packedBytes;
      const after = await asked(db);
      own.statements += after.calls - before.calls;
      own.databaseMs += after.ms - before.ms;
    }
  };
  await repeatFor(warmUpS, turn);
  all.clear();
  await repeatFor(seconds, turn);
  const assets = await assetBytes(browsing);
  let heaviest = 0;
  for (const [name, { took, statements, databaseMs, packedBytes }] of all) {
    heaviest = Math.max(heaviest, packedBytes);
    const each = `${(statements / took.length).toFixed(0)} statements, ${(databaseMs / took.length).toFixed(1)} ms in Postgres`;
    const note = `p50 ${quantile(took, 0.5).toFixed(0)} ms, ${took.length} times; ${each}; ${(packedBytes / 1000).toFixed(0)} kB`;
    const target = { atMost: mostMs };
    tell({ figure: `${name}, p95`, value: quantile(took, 0.95), unit: "ms", target, note });
  }
  const note = `${(assets / 1000).toFixed(0)} kB of them are assets, which a browser keeps`;
  const value = (heaviest + assets) / 1000;
  tell({
    figure: "the heaviest page, compressed",
    value,
    unit: "kB",
    target: { atMost: mostKb },
    note,
  });
}

type Asked = { readonly calls: number; readonly ms: number };

/** What Postgres has executed so far, but for this question and what brokers do by their clocks. */
async function asked(db: Db): Promise<Asked> {
  const [row] = await db<Asked[]>`
    select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(total_exec_time), 0)::float8 as ms
      from pg_stat_statements
     where query not like '%pg_stat_statements%' and query not like '%graphile%' and query ~* '^\s*(with|select|insert)'`;
  return row ?? { calls: 0, ms: 0 };
}

/** All that a first visit loads besides. */
async function assetBytes({ load }: Browsing): Promise<number> {
  const { text } = await load("/");
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
    ([, path = ""]) => path,
  );
  const loaded = await Promise.all([...new Set(paths)].map(load));
  return loaded.reduce((sum, { packedBytes }) => sum + packedBytes, 0);
}
