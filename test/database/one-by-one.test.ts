import { expect, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import { testDatabase } from "../support/database/database.ts";

test("a statement that finds all connections busy waits for the first that is free, not behind a long one", async () => {
  const { db, url } = await testDatabase();
  const pool = connect(url, { max: 2, isOneByOne: true });
  const waits = async () => {
    const rows = await db`
      select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`;
    return rows.length;
  };
  await Promise.all([pool`select 1`, pool`select 1`]); // both are open
  const holder = await db.reserve();
  try {
    await holder`select pg_advisory_lock(1), pg_advisory_lock(2)`;
    const long = pool`select pg_advisory_xact_lock(1)`.execute();
    await expect.poll(waits).toBe(1);
    const short = pool`select pg_advisory_xact_lock(2)`.execute();
    await expect.poll(waits).toBe(2);
    const next = pool`select 1 as n`.execute();
    await holder`select pg_advisory_unlock(2)`;
    await short;
    expect(await next).toMatchObject([{ n: 1 }]);
    expect(await waits()).toBe(1); // the long one is still there
    await holder`select pg_advisory_unlock(1)`;
    await long;
  } finally {
    holder.release();
    await pool.end({ timeout: 1 });
  }
});
