import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { stopClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import {
  begin,
  cancel,
  claim,
  enqueue,
  pass,
  pause,
  purge,
  putOff,
  redrive,
  report,
  resume,
  setBounds,
  takeBacklog,
} from "../support/model/signal-commands.ts";
import { SignalModel } from "../support/model/signal-model.ts";
import { walks } from "../support/model/walks.ts";
import { givenQueue } from "../support/queues/given-signals.ts";

const { db } = await testDatabase();
beforeAll(() => stopClock(db));

const nat = fc.nat({ max: 50 });
const tensOfSeconds = (max: number) => fc.integer({ min: 1, max }).map((tens) => tens * 10_000);
const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2, nil: null });
const wish = fc.record({
  runs: fc.constantFrom("pull", "pull", "task", "hold"),
  dedupeKey: rarely(fc.constantFrom("a", "b")),
  maxExecutions: fc.integer({ min: 1, max: 3 }),
  expiresInMs: rarely(tensOfSeconds(6)),
  on: fc.oneof(fc.constant([]), fc.subarray(["finished", "dead", "expired", "cancelled"])),
});
const enqueued = fc.array(wish, { minLength: 1, maxLength: 3 }).map(enqueue);
const claimed = fc
  .tuple(fc.integer({ min: 1, max: 3 }), rarely(fc.constantFrom("c1", "c2")))
  .map(([wanted, claimId]) => claim(wanted, claimId));
const event = fc.constantFrom("finish", "fail", "fail", "give-up", "extend", "return");
const reported = fc.tuple(nat, event).map(([which, what]) => report(which, what));

/** What judges a change draws the same runs each time; at a desk they are drawn anew. */

const commands = fc.commands(
  [
    enqueued,
    enqueued,
    claimed,
    claimed,
    reported,
    reported,
    nat.map(begin),
    nat.map(putOff),
    fc.integer({ min: 1, max: 4 }).map(takeBacklog),
    nat.map(cancel),
    fc.boolean().map(purge),
    fc.option(nat, { nil: null }).map(redrive),
    fc.option(tensOfSeconds(6), { nil: null }).map(pause),
    fc.constant(null).map(resume),
    fc
      .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 3 }))
      .map(([depth, inFlight]) => setBounds(depth, inFlight)),
    fc.integer({ min: 1, max: 7 }).map((tens) => pass(tens * 10)),
    fc.integer({ min: 1, max: 3 }).map((tens) => pass(tens * 10)),
  ],
  { maxCommands: 40, size: "max" },
);

test("whatever is done in whatever order, every signal stands where the contract says, in line and in the counts", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (planned) => {
      await fc.asyncModelRun(async () => {
        const queue = await givenQueue(db, { maxDepth: 6 });
        return { model: new SignalModel(), real: { db, queue } };
      }, planned);
    }),
    walks(20),
  );
});
