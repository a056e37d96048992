import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { connect, type Db } from "../../../broker/database/connect.ts";
import { afterFile } from "../run/after-file.ts";
import { expectSoundEvents } from "../webhooks/expect-sound-events.ts";
import { expectTargets } from "./expect-targets.ts";

export type TestDatabase = { readonly url: string; readonly db: Db };

/** A migrated database of the caller's own; it is dropped after the file, whoever is still connected. */
export async function testDatabase(): Promise<TestDatabase> {
  const error = inject("templateError");
  if (error !== "") throw new Error(error);
  const made = await createDatabase(new URL(inject("templateUrl")).pathname.slice(1));
  afterFile(async () => await expectSound(made.db)); // whatever the tests were about
  return made;
}

/** What holds of every database; a test that has ended its connection itself is left alone. */
async function expectSound(db: Db): Promise<void> {
  try {
    await expectSoundEvents(db);
    await expectTargets(db);
  } catch (error) {
    const isEnded = error instanceof Error && "code" in error && error.code === "CONNECTION_ENDED";
    if (!isEnded) throw error;
  }
}

/** The same without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return await createDatabase("template1");
}

/** One more of what this one is now, which nobody may be connected to. */
export async function cloneOf({ url }: Pick<TestDatabase, "url">): Promise<TestDatabase> {
  return await createDatabase(new URL(url).pathname.slice(1));
}

async function createDatabase(template: string): Promise<TestDatabase> {
  // Not by the process id: a long run uses one twice, and the database of the first may still be there.
  const name = `test_${randomUUID()}`;
  await administer(async (db) => {
    // Its files are copied: with no disk below, that costs half of writing each page to the log.
    await db`create database ${db(name)} template ${db(template)} strategy file_copy`;
  });
  const url = new URL(inject("templateUrl"));
  url.pathname = `/${name}`;
  const db = connect(url.href);
  afterFile(async () => {
    await db.end({ timeout: 1 });
    await administer(async (admin) => {
      await admin`drop database if exists ${admin(name)} with (force)`;
    });
  });
  return { url: url.href, db };
}

async function administer(work: (db: Db) => Promise<void>): Promise<void> {
  const url = new URL(inject("templateUrl"));
  url.pathname = "/postgres";
  const db = connect(url.href, { max: 1 });
  try {
    await work(db);
  } finally {
    await db.end();
  }
}
