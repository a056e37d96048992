import type { Db } from "../broker/database/connect.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { keySource } from "../broker/seals/key-source.ts";
import { openSeals, type Seals } from "../broker/seals/seals.ts";
import { claimSignals } from "../broker/signals/claim-signals.ts";
import {
  aSignal,
  type GivenQueue,
  fileSignals,
  givenQueue,
} from "../test/support/queues/given-signals.ts";
import type { Bench } from "./support/bench.ts";
import { type Contestant, inTurns, medianRate, ratio } from "./support/in-turns.ts";
import { type Stage, withStage } from "./support/stage.ts";

const wholeSignals = 1_000_000;
const wholeQueues = 10_000;
const workers = 4;
const leaseNs = 30_000_000_000;

/**
 * Claims and ends of one signal each, 4 workers at queues of their own, in a database without and in one with a million
 * signals that wait in ten thousand queues, in turns. SQL alone, no broker; enqueues count as well.
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

/** As many signals in each queue, one of which waits in each place of its line. */
async function fillQueues(db: Db, queues: number, signals: number): Promise<void> {
  const { orgId } = await givenQueue(db);
  const each = Math.ceil(signals / queues);
  await fillRows(db, orgId, { queues, each });
  await db`vacuum (analyze, freeze) queues, queue_counters, queue_signals, queue_signal_live`;
}

async function fillRows(
  db: Db,
  orgId: OrgId,
  { queues, each }: { readonly queues: number; readonly each: number },
): Promise<void> {
  const one = await db.reserve();
  await one`set session_replication_role = replica`;
  await one`
    insert into queues (id, org_id, name, idle_timeout)
    select 'que_00' || lpad(q::text, 24, '0'), ${orgId}, q::text, 0 from generate_series(1, ${queues}::int) q`;
  await one`
    insert into queue_counters (queue_id, org_id, max_depth, max_in_flight, waiting, bytes)
    select 'que_00' || lpad(q::text, 24, '0'), ${orgId}, 1000000, 1, ${each}::int, ${each}::int * 2
      from generate_series(1, ${queues}::int) q`;
  await one`
    with n as materialized (
      select 'sig_00' || lpad(((s - 1) * ${queues}::int + q)::text, 24, '0') as id, 'que_00' || lpad(q::text, 24, '0') as queue
        from generate_series(1, ${each}::int) s cross join generate_series(1, ${queues}::int) q
    ), facts as (
      insert into queue_signals (id, org_id, queue_id, type, runs, max_executions, retry_delay, contents, created_at)
      select n.id, ${orgId}, n.queue, 'work', 'pull', 3, 1000000000, '{}', svc_now() from n
    )
    insert into queue_signal_live (id, org_id, queue_id, status, runs, size, max_executions, retry_delay, created_at, status_at)
    select n.id, ${orgId}, n.queue, 'queued', 'pull', 2, 3, 1000000000, svc_now(), svc_now() from n order by n.id`;
  await one`reset session_replication_role`;
  one.release();
}
