import type { Db } from "../broker/database/connect.ts";
import { makeLimiter } from "../broker/database/limiter.ts";
import { reportExecutions } from "../broker/executions/report-executions.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { keySource } from "../broker/seals/key-source.ts";
import { openSeals } from "../broker/seals/seals.ts";
import { makeWakes } from "../broker/wake/wakes.ts";
import { claim, type GivenExecution, givenJobs } from "../test/support/rows/given.ts";
import type { Bench } from "./support/bench.ts";
import { fillEndedJobs } from "./support/fill-jobs.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { plan } from "./support/lives.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeEnded = 10_000_000;
const workers = 4;
const atOnce = 50;
const rounds = 4;
const roundS = 5;
const pinnedS = 30;

type Worker = { readonly db: Db; readonly orgId: OrgId; readonly agent: FleetAgent };
type Rate = { claims: number; claimingMs: number };

/**
 * Claims a second, one job a statement on 4 connections, in a database without and in one with ten million finished
 * jobs; both are measured in turns. Then with a snapshot held open for 30 s, in whose shadow no dead row can go.
 * Jobs are enqueued and finished between claims, in batches, outside the time that counts. SQL alone, no broker.
 */
export const tenMillionEnded: Bench = {
  what: "claims a second with ten million finished jobs, and under a pinned snapshot",
  run: async ({ scale }, tell) => {
    const ended = Math.round(wholeEnded * scale);
    let fleet: Fleet | undefined;
    const fill = async (db: Db): Promise<void> => {
      fleet = await givenFleet(db, workers, atOnce);
      const runnerIds = fleet.agents.map(({ runnerId }) => runnerId);
      await fillEndedJobs(db, { orgId: fleet.orgId, runnerIds, count: ended });
    };
    await withStage(async (emptyStage) => {
      const empty = workersOf(emptyStage, await givenFleet(emptyStage.db, workers, atOnce));
      await withStage(
        async (stage) => {
          if (fleet === undefined) throw new Error("the database was not filled");
          const full = workersOf(stage, fleet);
          const [without, withThem] = await inTurns(empty, full);
          const size = await databaseGb(stage.db);
          tell({ figure: "claims, no ended jobs", value: without, unit: "claims/s" });
          const note = `${ended.toLocaleString("en")} ended jobs, database of ${size.toFixed(1)} GB`;
          tell({ figure: "claims, with ended jobs", value: withThem, unit: "claims/s", note });
          const share = (100 * withThem) / without;
          tell({
            figure: "speed kept with ended jobs",
            value: share,
            unit: "%",
            target: { atLeast: 90 },
          });
          const pinned = await underPinnedSnapshot(stage.db, full);
          tell({
            figure: `claims, snapshot pinned for ${pinnedS} s`,
            value: pinned,
            unit: "claims/s",
          });
          const left = (100 * pinned) / withThem;
          tell({ figure: "speed kept under it", value: left, unit: "%", target: { atLeast: 25 } });
        },
        { fill },
      );
    });
  },
};

function workersOf({ db }: Stage, { orgId, agents }: Fleet): Worker[] {
  return agents.map((agent) => ({ db, orgId: orgId as OrgId, agent }));
}

/** Both in turns, so that whatever else the machine does falls on both; the first round of each is not counted. */
async function inTurns(
  some: readonly Worker[],
  others: readonly Worker[],
): Promise<[number, number]> {
  const sums: [Rate, Rate] = [noRate(), noRate()];
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, those] of [some, others].entries()) {
      const rate = await churn(those, roundS);
      const sum = sums[at];
      if (round === 0 || sum === undefined) continue;
      sum.claims += rate.claims;
      sum.claimingMs += rate.claimingMs;
    }
  }
  return [perSecond(sums[0]), perSecond(sums[1])];
}

/** The rate of the last seconds of a time in which nothing that dies can be cleared away. */
async function underPinnedSnapshot(db: Db, those: readonly Worker[]): Promise<number> {
  const holder = await db.reserve();
  await holder`begin isolation level repeatable read`;
  await holder`select count(*) from runner_queues`;
  await churn(those, pinnedS);
  const rate = await churn(those, roundS);
  await holder`commit`;
  holder.release();
  return perSecond(rate);
}

async function churn(those: readonly Worker[], seconds: number): Promise<Rate> {
  const rate = noRate();
  const untilMs = performance.now() + seconds * 1_000;
  await Promise.all(
    those.map(async (worker) => {
      while (performance.now() < untilMs) await liveTogether(worker, rate);
    }),
  );
  return rate;
}

async function liveTogether({ db, orgId, agent }: Worker, rate: Rate): Promise<void> {
  const runner = { orgId, groupId: "", runnerId: agent.runnerId };
  await givenJobs(
    db,
    runner,
    Array.from({ length: atOnce }, () => ({ plan })),
  );
  const held: GivenExecution[] = [];
  const startedAtMs = performance.now();
  for (let at = 0; at < atOnce; at += 1) held.push(...(await claim(db, runner, agent)));
  rate.claimingMs += performance.now() - startedAtMs;
  rate.claims += held.length;
  const { runnerId } = agent;
  const reports = held.map(({ executionId }) => ({
    orgId,
    runnerId,
    executionId,
    status: "finished" as const,
    result: { success: true, error_code: 0, error_metadata: {} },
  }));
  await reportExecutions({ db, wakes, seals, largeWrites }, reports);
}

const largeWrites = makeLimiter(1);
const wakes = makeWakes(() => {});
const seals = await openSeals(keySource("none"));
const noRate = (): Rate => ({ claims: 0, claimingMs: 0 });

/** As many as all workers together make while they claim. */
function perSecond({ claims, claimingMs }: Rate): number {
  return claims / (claimingMs / workers / 1_000);
}

async function databaseGb(db: Db): Promise<number> {
  const [row] = await db<{ bytes: number }[]>`
    select pg_database_size(current_database()) as bytes`;
  return (row?.bytes ?? 0) / 2 ** 30;
}
