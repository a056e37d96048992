import type { Db } from "../database/connect.ts";
import {
  type ArtifactFigures,
  countBusyConnections,
  findArtifactFigures,
  findEmitterDelay,
  findLongestSilence,
  findSignalFigures,
  type GroupFigures,
  listGroupFigures,
  listOldestWaiting,
  listRunnerCounts,
  listTallies,
  type SignalFigures,
  type Tally,
} from "./queries.ts";

/** What /metrics shows of the database, as it was at one moment. */
export type FiguresTaken = {
  readonly groups: readonly GroupFigures[];
  readonly oldest: Awaited<ReturnType<typeof listOldestWaiting>>;
  readonly runners: Awaited<ReturnType<typeof listRunnerCounts>>;
  readonly longestSilence: number;
  readonly signals: SignalFigures;
  readonly emitterDelay: number;
  readonly artifacts: ArtifactFigures;
  readonly tallies: readonly Tally[];
  readonly busyConnections: number;
  /** How long the broker's own pool took to answer a statement that needs no work. */
  readonly poolAnswerSeconds: number;
  readonly takenAtMs: number;
};

/** Takes all figures; `poolName` is by what the database knows the connections of `pool`. */
export async function takeFigures(db: Db, pool: Db, poolName: string): Promise<FiguresTaken> {
  const busyConnections = await countBusyConnections(db, poolName); // before the probe is one of them
  const [
    poolAnswerSeconds,
    groups,
    oldest,
    runners,
    longestSilence,
    tallies,
    signals,
    emitterDelay,
    artifacts,
  ] = await Promise.all([
    timeAnswer(pool),
    listGroupFigures(db),
    listOldestWaiting(db),
    listRunnerCounts(db),
    findLongestSilence(db),
    listTallies(db),
    findSignalFigures(db),
    findEmitterDelay(db),
    findArtifactFigures(db),
  ]);
  const takenAtMs = performance.now();
  return {
    groups,
    oldest,
    runners,
    longestSilence,
    signals,
    emitterDelay,
    artifacts,
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
