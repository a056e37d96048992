import { beforeAll, describe, expect, test } from "vitest";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  emitAll,
  emittedBy,
  emittingBroker,
  givenScheduled,
  moveClockTo,
} from "../../support/queues/emitting.ts";
import { emitterOf } from "../../support/queues/given-emitters.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);
beforeAll(() => stopClock(db));

/** In the order of time: the clock only goes on. The middle tick of each is that of the night. */
const nights = [
  [
    "America/New_York, put forward",
    "30 2 * * *",
    "2027-03-13T06:00Z",
    ["03-13T07:30", "03-14T07:00", "03-15T06:30"],
  ],
  [
    "Europe/Berlin, put forward",
    "30 2 * * *",
    "2027-03-27T00:00Z",
    ["03-27T01:30", "03-28T01:00", "03-29T00:30"],
  ],
  [
    "Australia/Lord_Howe, put back by half an hour",
    "45 1 * * *",
    "2027-04-02T13:00Z",
    ["04-02T14:45", "04-03T14:45", "04-04T15:15"],
  ],
  [
    "Australia/Lord_Howe, put forward by half an hour",
    "15 2 * * *",
    "2027-10-01T14:00Z",
    ["10-01T15:45", "10-02T15:30", "10-03T15:15"],
  ],
  [
    "Europe/Berlin, put back",
    "30 2 * * *",
    "2027-10-30T00:00Z",
    ["10-30T00:30", "10-31T00:30", "11-01T01:30"],
  ],
  [
    "America/New_York, put back",
    "30 1 * * *",
    "2027-11-06T04:00Z",
    ["11-06T05:30", "11-07T05:30", "11-08T06:30"],
  ],
] as const;

describe("a night on which clocks change", () => {
  test.each(nights)("in %s has its tick once, and each half hour that passes", async (...night) => {
    const [place, cron_schedule, start, expected] = night;
    const [time_zone] = place.split(",");
    await moveClockTo(db, start);
    const queue = await givenQueue(db);
    const members = { time_zone, overlap_policy: "allow", missed_policy: "all" };
    const daily = await givenScheduled(db, queue, { ...members, cron_schedule });
    const span = { ...members, cron_schedule: "*/30 * * * *" };
    const halfHourly = await givenScheduled(db, queue, span);
    for (let hours = 0; hours < 56; hours += 2) {
      await advanceClock(db, "2 hours");
      await emitAll(broker);
    }
    expect(await emittedBy(db, daily)).toEqual(expected.map((at) => `2027-${at}:00.000Z`));
    const halfHours = Array.from({ length: 112 }, (_, nth) =>
      new Date(Date.parse(start) + (nth + 1) * 1_800_000).toISOString(),
    );
    expect(await emittedBy(db, halfHourly)).toEqual(halfHours);
    expect(await emitterOf(db, daily)).toMatchObject({ emit_count: 3, skip_count: 0 });
    await db`delete from queue_emitters`;
  });
});
