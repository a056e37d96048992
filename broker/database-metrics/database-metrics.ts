import { connect, type Db } from "../database/connect.ts";
import type { Metrics } from "../metrics.ts";
import {
  countBusyConnections,
  findLongestSilence,
  type GroupFigures,
  listGroupFigures,
  listOldestWaiting,
  listRunnerCounts,
  listTallies,
  type Tally,
} from "./queries.ts";
import { registerGauges } from "./register-gauges.ts";

/** What /metrics shows of the database, as it was at one moment. */
export type FiguresTaken = {
  readonly groups: readonly GroupFigures[];
  readonly oldest: Awaited<ReturnType<typeof listOldestWaiting>>;
  readonly runners: Awaited<ReturnType<typeof listRunnerCounts>>;
  readonly longestSilence: number;
  readonly tallies: readonly Tally[];
  readonly busyConnections: number;
  /** How long the broker's own pool took to answer a statement that needs no work. */
  readonly poolAnswerSeconds: number;
  readonly takenAtMs: number;
};

export type DatabaseMetrics = {
  /** Takes the figures anew; a scrape shows those of the last time. Rejects when the database does. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type FiguresParts = {
  readonly metrics: Metrics;
  readonly url: string;
  readonly pool: Db;
  /** By which the database knows the pool's connections. */
  readonly poolName: string;
};

const statementTimeoutMs = 2_000;

/** Registers the figures; nothing is connected before the first refresh. */
export function makeDatabaseMetrics({
  metrics,
  url,
  pool,
  poolName,
}: FiguresParts): DatabaseMetrics {
  // A connection of its own: when the pool has none to spare, it is the figures that tell.
  const db = connect(url, { max: 1, applicationName: "svc figures", statementTimeoutMs });
  let taken: FiguresTaken | undefined;
  registerGauges(metrics, () => taken);
  return {
    refresh: async () => {
      taken = await take(db, pool, poolName);
    },
    stop: () => db.end({ timeout: 1 }),
  };
}

async function take(db: Db, pool: Db, poolName: string): Promise<FiguresTaken> {
  const busyConnections = await countBusyConnections(db, poolName); // before the probe is one of them
  const [poolAnswerSeconds, groups, oldest, runners, longestSilence, tallies] = await Promise.all([
    timeAnswer(pool),
    listGroupFigures(db),
    listOldestWaiting(db),
    listRunnerCounts(db),
    findLongestSilence(db),
    listTallies(db),
  ]);
  const takenAtMs = performance.now();
  return {
    groups,
    oldest,
    runners,
    longestSilence,
    tallies,
    busyConnections,
    poolAnswerSeconds,
    takenAtMs,
  };
}

async function timeAnswer(pool: Db): Promise<number> {
  const startMs = performance.now();
  await pool`select 1`;
  return (performance.now() - startMs) / 1000;
}
