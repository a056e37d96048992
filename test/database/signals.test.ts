import { afterEach, describe, expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  aSignal,
  claimSignals,
  fileSignals,
  givenQueue,
  givenSignal,
  queueOf,
  reportSignal,
  signalStatus,
  sweepSignals,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

afterEach(() => expectSoundSignals(db));

describe("signals of a queue with one place", () => {
  test("are claimed one after the other, in the order in which they came", async () => {
    const queue = await givenQueue(db);
    const ids = [];
    for (let at = 0; at < 4; at++) ids.push(await givenSignal(db, queue));
    const seen = [];
    for (const _ of ids) {
      const [claimed] = await claimSignals(db, queue, 5);
      expect(await claimSignals(db, queue, 5)).toEqual([]);
      if (claimed === undefined) break;
      seen.push(claimed.id);
      expect(await reportSignal(db, queue, claimed, "finish")).toBe("done");
    }
    expect(seen).toEqual(ids);
  });

  test("are not passed by others while they back off", async () => {
    const queue = await givenQueue(db);
    const first = await givenSignal(db, queue);
    await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    expect(await reportSignal(db, queue, claimed, "fail")).toBe("done");
    expect(await signalStatus(db, first)).toBe("retrying");
    expect(await claimSignals(db, queue)).toEqual([]);
    await advanceClock(db, "2 seconds");
    await sweepSignals(db);
    expect(await claimSignals(db, queue)).toMatchObject([{ id: first, execution_count: 2 }]);
  });
});

describe("signals of a queue with three places", () => {
  test("are never more than three in flight under twenty claimers", async () => {
    const queue = await givenQueue(db, { maxInFlight: 3 });
    const filed = Array.from({ length: 60 }, (_, at) => aSignal(queue, { request: at + 1 }));
    await fileSignals(db, filed);
    let [most, done] = [0, 0];
    const claimer = async (): Promise<void> => {
      while (done < filed.length) {
        for (const claimed of await claimSignals(db, queue, 2)) {
          const row = await queueOf(db, queue);
          most = Math.max(most, row?.in_flight ?? 0);
          expect(await reportSignal(db, queue, claimed, "finish")).toBe("done");
          done += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, claimer));
    expect(most).toBeLessThanOrEqual(3);
    expect(done).toBe(60);
  });

  test("pass one that backs off", async () => {
    const queue = await givenQueue(db, { maxInFlight: 3 });
    await givenSignal(db, queue);
    const second = await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    await reportSignal(db, queue, claimed, "fail");
    expect(await claimSignals(db, queue, 3)).toMatchObject([{ id: second }]);
  });
});

describe("a claim", () => {
  test("gets nothing of another org's queue, with that org's own claim beside it", async () => {
    const [mine, other] = [await givenQueue(db, { maxInFlight: 9 }), await givenQueue(db)];
    const id = await givenSignal(db, mine);
    const orgs = [other.orgId as string, mine.orgId as string];
    const claimed = await db<{ waiter: number; id: string }[]>`
      select waiter, id from claim_signals(${[1, 2]}::int[], ${orgs}::text[], ${[mine.queueId, mine.queueId]}::text[],
                                           ${[1, 1]}::int[], ${[null, null]}::text[], ${["", ""]}::text[],
                                           ${[30_000_000_000, 30_000_000_000]}::bigint[])`;
    expect(claimed).toEqual([{ waiter: 2, id }]);
  });
});

describe("a lease", () => {
  test("that ran out goes back in line, until no execution remains", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { max_executions: 2 });
    const [first] = await claimSignals(db, queue);
    await advanceClock(db, "31 seconds");
    await sweepSignals(db);
    expect(await signalStatus(db, id)).toBe("queued");
    const [second] = await claimSignals(db, queue);
    if (first === undefined || second === undefined) throw new Error("nothing was claimed");
    expect(await reportSignal(db, queue, first, "finish")).toBe("lost");
    expect(await reportSignal(db, queue, first, "extend")).toBe("lost");
    expect(await reportSignal(db, queue, second, "extend")).toBe("done");
    await advanceClock(db, "31 seconds");
    await sweepSignals(db);
    expect(await signalStatus(db, id)).toBe("dead");
  });

  test("counts once, though the worker repeats its report", async () => {
    const queue = await givenQueue(db);
    await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue, 1, "claim-1");
    expect(await claimSignals(db, queue, 1, "claim-1")).toMatchObject([
      { id: claimed?.id, lease_id: claimed?.lease_id, execution_count: 1, repeated: true },
    ]);
    if (claimed === undefined) throw new Error("nothing was claimed");
    expect(await reportSignal(db, queue, claimed, "fail")).toBe("done");
    expect(await reportSignal(db, queue, claimed, "fail")).toBe("repeated");
  });
});

describe("signals with a dedupe key", () => {
  test("are one, of fifty that are enqueued at once", async () => {
    const queue = await givenQueue(db);
    const file = () => fileSignals(db, [aSignal(queue, { dedupe_key: "nightly" })]);
    const rows = (await Promise.all(Array.from({ length: 50 }, file))).flat();
    const [kept] = rows.filter(({ outcome }) => outcome === "enqueued");
    expect(rows.filter(({ outcome }) => outcome === "kept")).toHaveLength(49);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([kept?.id]));
    const both = [1, 2].map((request) => aSignal(queue, { dedupe_key: "weekly", request }));
    expect((await fileSignals(db, both)).map(({ outcome }) => outcome).sort()).toEqual([
      "enqueued",
      "kept",
    ]);
  });
});

describe("a signal with an end of its life", () => {
  test("is not executed after it, even before the sweep", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { expires_in: 5_000_000_000 });
    await advanceClock(db, "6 seconds");
    expect(await claimSignals(db, queue)).toEqual([]);
    await sweepSignals(db);
    expect(await signalStatus(db, id)).toBe("expired");
    expect(
      await fileSignals(db, [aSignal(queue, { expires_at: "2001-01-01T00:00:00Z" })]),
    ).toMatchObject([{ outcome: "past" }]);
  });
});

describe("the depth of a queue", () => {
  test("refuses a batch as a whole, and no signal of it is kept", async () => {
    const queue = await givenQueue(db, { maxDepth: 2 });
    await givenSignal(db, queue);
    const batch = [aSignal(queue), aSignal(queue)];
    expect(await fileSignals(db, batch)).toMatchObject([{ outcome: "full" }]);
    expect(await queueOf(db, queue)).toMatchObject({ waiting: 1 });
  });
});

describe("a signal that waits for another", () => {
  test("is refused in the queue of one that waits for it, however far away", async () => {
    const first = await givenQueue(db);
    const second = await givenQueue(db, { orgId: first.orgId });
    const parent = await givenSignal(db, first);
    expect(await fileSignals(db, [aSignal(first, { awaited_by: parent })])).toMatchObject([
      { outcome: "own-queue" },
    ]);
    const child = await givenSignal(db, second, { awaited_by: parent });
    expect(await fileSignals(db, [aSignal(first, { awaited_by: child })])).toMatchObject([
      { outcome: "own-queue" },
    ]);
    expect(await fileSignals(db, [aSignal(first, { awaited_by: newId("sig") })])).toMatchObject([
      { outcome: "no-awaiter" },
    ]);
  });
});
