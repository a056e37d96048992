import { expect, test } from "vitest";
import { connect, type Db } from "../../broker/database/connect.ts";
import { isDatabaseAway } from "../../broker/database/database-errors.ts";
import { inTransaction } from "../../broker/database/driver-workarounds.ts";
import { testDatabase } from "../support/database/database.ts";

const { db: other, url } = await testDatabase();

/** A migrator's pool, which is ended after a loss: this resolves. */
async function withPool(work: (db: Db) => Promise<void>): Promise<void> {
  const db = connect(url, { applicationName: "svc-migrate", max: 1 });
  try {
    await work(db);
  } finally {
    await db.end({ timeout: 5 });
  }
}

async function given(): Promise<void> {
  await other`drop table if exists kept`;
  await other`create table kept (n int)`;
}

async function kept(): Promise<number[]> {
  return (await other<{ n: number }[]>`select n from kept order by n`).map(({ n }) => n);
}

test("a transaction keeps all of its work, or nothing of it", async () => {
  await given();
  await withPool(async (db) => {
    const answer = await inTransaction(db, async (tx) => {
      await tx`insert into kept values (1)`;
      return "done";
    });
    expect(answer).toBe("done");
    const failed = inTransaction(db, async (tx) => {
      await tx`insert into kept values (2)`;
      await tx`select 1 / 0`;
    });
    await expect(failed).rejects.toThrow("division by zero");
    const thrown = inTransaction(db, async (tx) => {
      await tx`insert into kept values (3)`;
      throw new Error("no more");
    });
    await expect(thrown).rejects.toThrow("no more");
    await inTransaction(db, (tx) => tx`insert into kept values (4)`);
  });
  expect(await kept()).toEqual([1, 4]);
});

test("a transaction whose backend is killed between two statements refuses the next, and nothing is kept", async () => {
  await given();
  await withPool(async (db) => {
    const lost = inTransaction(db, async (tx) => {
      await tx`insert into kept values (1)`;
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await other`select pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
      await expect
        .poll(() =>
          tx`select 1`.then(
            () => "answered",
            () => "lost",
          ),
        )
        .toBe("lost");
      await tx`insert into kept values (3)`;
    });
    const error: unknown = await lost.catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
  });
  expect(await kept()).toEqual([]);
});

test("a transaction whose statement ends its own backend fails with that", async () => {
  await given();
  await withPool(async (db) => {
    const lost = inTransaction(db, async (tx) => {
      await tx`insert into kept values (1)`;
      await tx`select pg_terminate_backend(pg_backend_pid())`;
    });
    const error: unknown = await lost.catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
  });
  expect(await kept()).toEqual([]);
});
