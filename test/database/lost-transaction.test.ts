import { expect, test } from "vitest";
import { connect, type Db } from "../../broker/database/connect.ts";
import { isDatabaseAway } from "../../broker/database/database-errors.ts";
import { inTransaction, type Tx } from "../../broker/database/driver-workarounds.ts";
import { testDatabase } from "../support/database/database.ts";

const { db: other, url } = await testDatabase();

/** A migrator's pool, which is ended with it: this resolves. */
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

/** Ends the backend that runs the transaction, and waits until it is gone. */
async function killBackend(tx: Tx): Promise<void> {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await other`select pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
}

/** Resolves when the driver has seen that the transaction's connection is lost. */
async function untilRefused(tx: Tx): Promise<void> {
  await expect.poll(async () => await outcomeOf(tx`select 1`)).toBe("lost");
}

async function outcomeOf(statement: PromiseLike<unknown>): Promise<string> {
  try {
    await statement;
    return "answered";
  } catch (error) {
    return isDatabaseAway(error) ? "lost" : String(error);
  }
}

test("a transaction whose backend is killed between two statements refuses the next, and nothing is kept", async () => {
  await given();
  await withPool(async (db) => {
    const lost = inTransaction(db, async (tx) => {
      await tx`insert into kept values (1)`;
      const early = tx`insert into kept values (2)`; // sent when it is awaited
      await killBackend(tx);
      await untilRefused(tx);
      expect(await outcomeOf(early)).toBe("lost");
      expect(await outcomeOf(tx.unsafe("insert into kept values (3)").simple())).toBe("lost");
      await tx`insert into kept values (4)`;
    });
    expect(await outcomeOf(lost)).toBe("lost");
  });
  expect(await kept()).toEqual([]);
});

test("no statement of a transaction waits for ever that its backend has not answered when it is killed", async () => {
  await given();
  await withPool(async (db) => {
    const lost = inTransaction(db, async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const outcomes = Promise.all([
        outcomeOf(tx`select pg_sleep(${600}::int)`),
        ...[1, 2, 3].map((n) => outcomeOf(tx`insert into kept values (${n})`)),
      ]);
      const pid = row?.pid ?? 0;
      await expect
        .poll(
          () => other`select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`,
        )
        .toHaveLength(1);
      await other`select pg_terminate_backend(${pid}, 5000)`;
      expect(await outcomes).toEqual(["lost", "lost", "lost", "lost"]);
    });
    expect(await outcomeOf(lost)).toBe("lost");
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
    expect(await outcomeOf(lost)).toBe("lost");
  });
  expect(await kept()).toEqual([]);
});
