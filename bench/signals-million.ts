import { findSignalFigures } from "../broker/database-metrics/queries.ts";
import type { Db } from "../broker/database/connect.ts";
import { keySource } from "../broker/seals/key-source.ts";
import { openSeals, type Seals } from "../broker/seals/seals.ts";
import { claimSignals } from "../broker/signals/claim-signals.ts";
import {
  aSignal,
  type GivenQueue,
  fileSignals,
  givenQueue,
} from "../test/support/queues/given-signals.ts";
import { givenManyQueues, givenManySignals } from "../test/support/queues/many-signals.ts";
import { givenOrg } from "../test/support/rows/given.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Contestant, inTurns, medianRate, ratio, serversCpuUs } from "./support/in-turns.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeSignals = 1_000_000;
const wholeQueues = 10_000;
const workers = 4;
const leaseNs = 30_000_000_000;

/**
 * Claims and ends of one signal each, 4 workers at queues of their own, in a database without and in one with a million
 * signals that wait in ten thousand queues, in turns. SQL alone, no broker; enqueues count as well. Then a look for the metrics.
 */
export const signalsMillion: Bench = {
  what: "claims of signals with one million that wait in 10,000 queues",
  run: async ({ scale, ...options }, tell) => {
    const [signals, queues] = [wholeSignals * scale, wholeQueues * scale].map(Math.round);
    const seals = await openSeals(keySource("none"));
    const fill = (db: Db): Promise<void> => fillQueues(db, queues ?? 0, signals ?? 0);
    await withStage(async (emptyStage) => {
      await withStage(
        async (stage) => {
          const { empty, full } = await inTurns(
            { empty: await contestant(emptyStage, seals), full: await contestant(stage, seals) },
            options,
          );
          const unit = "signals/s";
          tell({ figure: "claims, nothing else waits", value: medianRate(empty), unit });
          tell({ figure: "claims, many wait", value: medianRate(full), unit });
          const { value, note } = ratio(full, empty);
          const target = { atLeast: 80 };
          tell({ figure: "speed kept", value: 100 * value, unit: "%", target, note });
          for (const [name, turns] of Object.entries({
            "nothing else waits": empty,
            "many wait": full,
          })) {
            const figure = `Postgres CPU of a claim with its enqueue and end, ${name}`;
            tell({ figure, value: serversCpuUs(turns), unit: "µs" });
          }
          const figure = `metrics of ${queues} queues`;
          tell({ figure, value: await timeFigures(stage), unit: "ms" });
        },
        { fill },
      );
    });
  },
};

async function contestant({ db, postgresPid }: Stage, seals: Seals): Promise<Contestant> {
  const queues: GivenQueue[] = [];
  for (let nth = 0; nth < workers; nth += 1) queues.push(await givenQueue(db));
  return {
    pids: { Postgres: postgresPid },
    work: async (seconds) => {
      const startedAtMs = performance.now();
      let count = 0;
      await Promise.all(
        queues.map(async (queue) => {
          while (performance.now() < startedAtMs + seconds * 1000) {
            await liveOnce(db, seals, queue);
            count += 1;
          }
        }),
      );
      return { count, seconds: (performance.now() - startedAtMs) / 1000 };
    },
  };
}

async function liveOnce(db: Db, seals: Seals, queue: GivenQueue): Promise<void> {
  await fileSignals(db, [aSignal(queue)]);
  const { orgId, queueId } = queue;
  const request = { orgId, queueId, claimId: crypto.randomUUID(), worker: null, want: 1, leaseNs };
  const { claims } = await claimSignals({ db, seals }, [request]);
  const row = claims[0]?.[0]?.row;
  if (row === undefined) throw new Error("nothing was claimed");
  const report = {
    n: 0,
    org_id: orgId,
    queue_id: queueId,
    signal_id: row.id,
    lease_id: row.lease_id,
    event: "finish",
  };
  const [answer] = await db<{ outcome: string }[]>`
    select outcome from report_claimed_signals(${JSON.stringify([report])}::text::json)`;
  if (answer?.outcome !== "done") throw new Error(`the report came to ${answer?.outcome}`);
}

/** As many signals in each queue, one after the other in each place of all lines. */
async function fillQueues(db: Db, queues: number, signals: number): Promise<void> {
  const many = await givenManyQueues(db, await givenOrg(db), queues);
  await givenManySignals(db, many, { queued: Math.ceil(signals / queues) });
  await db`vacuum (analyze, freeze) queues, queue_counters, queue_signals, queue_signal_live`;
}

/** What a broker's metrics cost every ten seconds: the median of five looks, in milliseconds. */
async function timeFigures({ db }: Stage): Promise<number> {
  const times: number[] = [];
  for (let look = 0; look < 5; look += 1) {
    const startedAtMs = performance.now();
    await findSignalFigures(db);
    times.push(performance.now() - startedAtMs);
  }
  return quantile(times, 0.5);
}
