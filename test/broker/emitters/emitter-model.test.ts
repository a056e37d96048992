import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  create,
  fire,
  pass,
  pause,
  reschedule,
  resume,
  setPolicies,
  type WishedSchedule,
  work,
} from "../../support/model/emitter-commands.ts";
import { EmitterModel } from "../../support/model/emitter-model.ts";
import { walks } from "../../support/model/walks.ts";
import { emittingBroker, moveClockTo, nowOf } from "../../support/queues/emitting.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);
beforeAll(async () => {
  await stopClock(db);
  await moveClockTo(db, "2027-01-04T00:00:30Z");
});

const which = fc.nat({ max: 5 });
const minuteMs = 60_000;
/** Often to the instant of a tick, or just beside it. */
const span = (...minutes: number[]) =>
  fc
    .tuple(fc.constantFrom(...minutes), fc.constantFrom(0, 0, 1, -1, 500, 29_999, 30_000))
    .map(([some, ms]) => Math.max(1, some * minuteMs + ms));
const schedule: fc.Arbitrary<WishedSchedule> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("every" as const),
      minutes: fc.constantFrom(1, 5, 20, 60),
      window: fc.constantFrom(0, 0.5, 0.9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("scheduled" as const, "delayed" as const),
      inMs: span(1, 7, 30),
    }),
  },
);
const policies = fc.record({
  missed: fc.constantFrom("skip" as const, "once" as const, "all" as const),
  most: fc.integer({ min: 1, max: 4 }),
  skipsOverlap: fc.boolean(),
});
const passed = fc
  .tuple(span(0, 1, 4, 5, 20, 60, 1440), fc.boolean())
  .map(([ms, isLooked]) => pass(ms, isLooked));
const looked = span(0, 1, 5, 30).map((ms) => pass(ms, true));

/** What judges a change draws the same runs each time; at a desk they are drawn anew. */

const commands = fc.commands(
  [
    fc.tuple(schedule, policies).map((one) => create(...one)),
    fc.tuple(schedule, policies).map((one) => create(...one)),
    passed,
    looked,
    looked,
    fc.tuple(which, fc.option(span(0, 1, 5, 60), { nil: null })).map((one) => pause(...one)),
    which.map(resume),
    which.map(resume),
    fc.tuple(which, schedule).map((one) => reschedule(...one)),
    fc.tuple(which, schedule).map((one) => reschedule(...one)),
    fc.tuple(which, policies).map((one) => setPolicies(...one)),
    which.map(fire),
    fc.constant(null).map(work),
  ],
  { maxCommands: 40, size: "max" },
);

test("whatever is done in whatever order, each tick that the contract emits is emitted once, and all others are counted as it says", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (planned) => {
      await fc.asyncModelRun(async () => {
        await db`delete from queue_emitters`;
        const queue = await givenQueue(db, { maxDepth: 100_000, maxInFlight: 1000 });
        const now = (await nowOf(db)).getTime();
        return { model: new EmitterModel(now), real: { broker, queue } };
      }, planned);
    }),
    walks(20),
  );
});
