import { afterEach } from "vitest";
import { stopClock } from "./clock.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { expectSoundQueues } from "./expect-sound-queues.ts";

/** A file's database whose time passes only where a test says so, and whose queues are sound after each test. */
export async function stoppedDatabase(): Promise<TestDatabase> {
  const database = await testDatabase();
  await stopClock(database.db);
  afterEach(async () => {
    await expectSoundQueues(database.db);
  });
  return database;
}
