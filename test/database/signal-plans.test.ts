import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { listQueues } from "../../broker/queues/queries.ts";
import { readQueueStatus } from "../../broker/queues/read-queue-status.ts";
import { showQueue } from "../../broker/queues/show-queues.ts";
import { listSignals, type SignalFilter } from "../../broker/signals/list-signals.ts";
import { signalStatuses } from "../../shared/queue-signal.ts";
import { testDatabase } from "../support/database/database.ts";
import { type Explaining, explaining, readsOf } from "../support/database/explain.ts";
import {
  aSignal,
  claimSignals,
  fileSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../support/queues/given-signals.ts";
import { givenManyQueues, givenManySignals } from "../support/queues/many-signals.ts";

const database = await testDatabase();
const { db } = database;
let large: GivenQueue;
let small: GivenQueue;
let on: Explaining;

beforeAll(async () => {
  large = await givenQueue(db, { maxDepth: 100_000, maxInFlight: 20 });
  const others = await givenManyQueues(db, large.orgId, 5_000);
  await givenManySignals(db, others, { queued: 2 });
  await givenManySignals(db, [large], {
    queued: 10_000,
    retrying: 10_000,
    inFlight: 10,
    dead: 10_000,
  });
  await db`vacuum analyze`; // what is not in the large queue is unknown to the planner
  small = await givenQueue(db, { maxInFlight: 20 });
  await givenManySignals(db, [small], {
    queued: 15,
    retrying: 1,
    inFlight: 1,
    finished: 5,
    dead: 5,
  });
});

/** What each scan of what was done met, where that was more than so many rows. */
function overruns(most: number): string[] {
  return on.take().flatMap(({ Plan, "Query Text": text }) =>
    readsOf(Plan)
      .filter(({ rows }) => rows > most)
      .map(({ of, rows }) => `${rows} by ${of}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`),
  );
}

describe.each(["force_generic_plan", "force_custom_plan"])("with a %s", (mode) => {
  beforeAll(async () => {
    on = await explaining(database, { isMeasured: true });
    await on.db.unsafe(`set plan_cache_mode = ${mode}`);
    on.take();
  });
  afterAll(() => on.end());

  test("what needs a look reads the oldest dead signal of a queue, and a hundred of those that are shown", async () => {
    await on.db`select from list_problems(svc_now())`;
    const reads = on.take().flatMap(({ Plan }) => readsOf(Plan));
    const ends = reads.filter(({ of }) => of.includes("queue_signal_ends"));
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(250);
  });

  describe.each([["large"], ["small"]])("in the %s queue", (which) => {
    const queue = () => (which === "large" ? large : small);

    test("a list of signals reads a page", async () => {
      for (const status of [undefined, ...signalStatuses]) {
        await list(on.db, queue(), { status });
        expect({ status, over: overruns(60) }).toEqual({ status, over: [] });
      }
      for (const filter of [{ type: "other" }, { owner_id: "own_1" }, { emitter_id: "emt_1" }]) {
        await list(on.db, queue(), filter);
        expect({ filter, over: overruns(2_000) }).toEqual({ filter, over: [] });
      }
      await list(on.db, queue(), { status: "dead", type: "other" });
      expect(overruns(2_000)).toEqual([]);
    });

    test("its status and itself are read from counters and the front of its line", async () => {
      await showQueue(on.db, queue().orgId, queue().queueId);
      expect(overruns(110)).toEqual([]);
      await readQueueStatus(on.db, queue().orgId, queue().queueId);
      expect(overruns(10_100)).toEqual([]);
      await listQueues(on.db, queue().orgId, {
        filter: {},
        after: undefined,
        limit: 51,
        offset: 0,
      });
      expect(overruns(60)).toEqual([]);
    });

    test("a life reads its signals", async () => {
      const dedupe = { dedupe_key: "k" };
      await fileSignals(on.db, [aSignal(queue(), dedupe), aSignal(queue(), dedupe)]);
      await fileSignals(on.db, [
        aSignal(queue(), { idempotency_key: `${mode} ${which}`, fingerprint: "00" }),
      ]);
      expect(overruns(10)).toEqual([]);
      for (const event of ["finish", "fail", "give-up", "extend", "return"]) {
        const [claimed] = await claimSignals(on.db, queue(), 1, `c ${mode} ${event}`);
        if (claimed === undefined) throw new Error("nothing was claimed");
        expect(overruns(30)).toEqual([]);
        expect(await claimSignals(on.db, queue(), 1, `c ${mode} ${event}`)).toMatchObject([
          { id: claimed.id },
        ]);
        expect(overruns(60)).toEqual([]);
        await reportSignal(on.db, queue(), claimed, event);
        expect(overruns(30)).toEqual([]);
      }
    });

    test("a cancel and a purge read what they end", async () => {
      const id = await givenSignal(db, queue());
      await on.db`select * from cancel_signals(${queue().orgId}, ${[id]}, 'why')`;
      await on.db`select * from purge_queue(${queue().orgId}, ${queue().queueId}, false, 'why', 2)`;
      expect(overruns(30)).toEqual([]);
    });
  });

  test("a sweep reads what is due", async () => {
    await on.db`select sweep_signals(500), sweep_signal_queues(500)`;
    expect(overruns(30)).toEqual([]);
  });

  test("a claim passes some of what expired at the front of a line, not all", async () => {
    const queue = await givenQueue(db, { orgId: large.orgId });
    await givenManySignals(db, [queue], { queued: 3_000 });
    await db`update queue_signal_live set expires_at = svc_now() where queue_id = ${queue.queueId}`;
    expect(await claimSignals(on.db, queue)).toEqual([]);
    expect(overruns(1_001)).toEqual([]);
  });

  test("a look of many parked claims reads their queues' counters", async () => {
    await on.db`select queues_to_look_at(${[large.queueId, small.queueId]})`;
    expect(overruns(4)).toEqual([]);
  });

  test("a queue that is deleted is not looked for among the signals of others", async () => {
    const gone = await givenQueue(db, { orgId: large.orgId });
    const [row] = await on.db<{ outcome: string }[]>`
      select delete_queue(${gone.orgId}, ${gone.queueId}) as outcome`;
    expect(row?.outcome).toBe("deleted");
    expect(overruns(4)).toEqual([]);
  });
});

async function list(on_: Db, { orgId, queueId }: GivenQueue, filter: SignalFilter) {
  return await listSignals(on_, orgId, queueId, { filter, after: undefined, limit: 50, offset: 0 });
}
