import { expect, test } from "vitest";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { startBroker } from "../support/broker/broker.ts";
import { openEvents } from "../support/broker/event-reader.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenLog, type Line } from "../support/logs/given-logs.ts";

const database = await testDatabase();
const other = await startBroker({ url: database.url });

const numbered = (count: number, from: number): Line[] =>
  Array.from({ length: count }, (_, at) => ({ body: `line ${from + at}`, seq: from + at }));

test("who follows a log at a broker that is killed resumes at another, and misses and repeats nothing", async () => {
  const log = await givenLog(database, other);
  const doomed = await startBrokerProcess(database.url);
  const token = log.admin;
  const tailAt = (url: string): string => `${url}${log.path}/logs/tail`;
  const first = await openEvents(tailAt(doomed.url), { token });
  await log.write(numbered(50, 1));
  await expect.poll(() => first.events.length).toBeGreaterThan(0);
  const writing = (async () => {
    for (let n = 1; n < 20; n++) await log.write(numbered(50, 1 + n * 50));
  })();
  await doomed.kill();
  await first.ended;
  const second = await openEvents(tailAt(other.url), { token, lastEventId: first.lastId() });
  await writing;
  const expected = numbered(1000, 1).map(({ body }) => body);
  const heard = (): string[] => [...first.bodies(), ...second.bodies()];
  await expect.poll(heard).toEqual(expected);
});
