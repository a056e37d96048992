import { tallyJobEnds } from "../broker/database-metrics/tally-job-ends.ts";
import type { Db } from "../broker/database/connect.ts";
import { sampleStats } from "../broker/stats/sample-stats.ts";
import { openConnection, requestText } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { fillEndedJobs, fillLiveJobs } from "./support/fill-jobs.ts";
import { fillRollups, fillRunners } from "./support/fill-stats.ts";
import { type Fleet, givenFleet } from "./support/given-fleet.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { repeatFor } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeJobs = 1_000_000;
const runners = 2_000;
const mostMs = 150;
const samples = 50;

/**
 * What charts and the overview cost with a million jobs, 2,000 runners and 10,000 of their queues: each answer over HTTP, in turns, one
 * request at a time; and the sample that a broker takes for all.
 */
export const stats: Bench = {
  what: "answers of charts and the overview, and the sample, with a million jobs and 2,000 runners",
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
    await withStage(
      async (stage) => {
        if (fleet === undefined) throw new Error("the database was not filled");
        await tellSample(stage.db, tell);
        await tellAnswers(stage, fleet, { seconds, warmUpS, tell });
      },
      { fill },
    );
  },
};

/** By the CPU of the one backend that does it: the time it takes is the machine's. */
async function tellSample(db: Db, tell: Tell): Promise<void> {
  const one = await db.reserve();
  const [backend] = await one<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pid = backend?.pid ?? 0;
  const cpuMs: number[] = [];
  const [others, firsts, tallies]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < samples; at += 1) {
    await one`update stats_mark set sampled_at = 'epoch'`;
    const isFirst = at % 5 === 0;
    if (isFirst)
      await one`delete from rollup_coverage where width_s = 60 and at > svc_now() - interval '5 minutes'`;
    const beforeS = cpuSeconds(pid);
    await timed(isFirst ? firsts : others, () => sampleStats(one));
    cpuMs.push((cpuSeconds(pid) - beforeS) * 1000);
    await timed(tallies, () => tallyJobEnds(one));
  }
  one.release();
  const mean = cpuMs.reduce((sum, ms) => sum + ms, 0) / cpuMs.length;
  tell({ figure: "CPU of Postgres for a sample, mean", value: mean, unit: "ms" });
  const note = `p95 ${quantile(others, 0.95).toFixed(0)} ms; the first of a minute ${quantile(firsts, 0.5).toFixed(0)} ms`;
  tell({ figure: "a sample, p50", value: quantile(others, 0.5), unit: "ms", note });
  tell({ figure: "a count of nothing new, p50", value: quantile(tallies, 0.5), unit: "ms" });
}

async function tellAnswers(
  stage: Stage,
  { agents, adminToken }: Fleet,
  { seconds, warmUpS, tell }: { seconds: number; warmUpS: number; tell: Tell },
): Promise<void> {
  const broker = await stage.startBroker();
  const connection = await openConnection(broker.url);
  const ids = agents.slice(0, 100).map(({ runnerId }) => runnerId);
  const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const answers = {
    "a token, for comparison": "/v1/tokens/current",
    overview: "/v1/stats/overview",
    "jobs, an hour by the minute": `/v1/stats/jobs?from=${ago(1 / 24)}`,
    "jobs, a day by five minutes": "/v1/stats/jobs",
    "jobs, a day of one group": "/v1/stats/jobs?group=build",
    "jobs, four days by 15 minutes": `/v1/stats/jobs?from=${ago(4)}&step=15m`,
    "jobs, a month by six hours": `/v1/stats/jobs?from=${ago(30)}`,
    "jobs, 500 days": `/v1/stats/jobs?from=${ago(498)}`,
    "strips of 100 runners": `/v1/stats/runners?ids=${ids.join(",")}`,
    "availability in a month": `/v1/runners/${ids[0]}/availability?window=30d`,
  };
  const times = new Map(
    Object.keys(answers).map((name) => [name, { took: [] as number[], bytes: 0 }]),
  );
  const turn = async (): Promise<void> => {
    for (const [name, path] of Object.entries(answers)) {
      const own = times.get(name);
      if (own === undefined) continue;
      const text = requestText(`GET ${path}`, adminToken, "");
      const { status, body } = await timed(own.took, () => connection.send(text));
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
      own.bytes = body.length;
    }
  };
  await repeatFor(warmUpS, turn);
  for (const own of times.values()) own.took.length = 0;
  await repeatFor(seconds, turn);
  connection.close();
  for (const [name, { took, bytes }] of times) {
    const note = `p50 ${quantile(took, 0.5).toFixed(1)} ms, ${took.length} times, ${(bytes / 1024).toFixed(0)} KiB`;
    tell({
      figure: `${name}, p95`,
      value: quantile(took, 0.95),
      unit: "ms",
      target: { atMost: mostMs },
      note,
    });
  }
  await broker.stop();
}

async function timed<Result>(times: number[], act: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now();
  const result = await act();
  times.push(performance.now() - startedAtMs);
  return result;
}
