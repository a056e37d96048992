import { expect, onTestFinished } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";

/** A step of statements: a row of a table that is about to be written so. */
export type Step = {
  readonly name: string;
  readonly table: string;
  readonly on: "insert" | "update";
  /** Of which rows, in SQL over `new` and, for updates, `old`. */
  readonly when: string;
};

/** A gate in front of a step: who comes there waits, in the middle of a statement. */
export type Gate = {
  /** Resolves when exactly so many statements wait. */
  readonly untilWaiting: (statements: number) => Promise<void>;
  /** Ends the statements that wait, as if they had never been, and opens the gate. */
  readonly lose: () => Promise<void>;
  /** Lets them go on, and waits until they have ended. */
  readonly open: () => Promise<void>;
};

/** Puts gates in front of steps, all open; answers how to close some of them, at the test's end at the latest open again. */
export async function givenGates(
  db: Db,
  steps: readonly Step[],
): Promise<(names: readonly string[]) => Promise<Gate>> {
  await db`
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtext(tg_argv[0]));
      return new;
    end $$`;
  for (const { name, table, on, when } of steps) {
    await db.unsafe(
      `create trigger ${name}_gate before ${on} on ${table} for each row when (${when}) execute function wait_at_gate('${name}')`,
    );
  }
  return (names) => closeGates(db, names);
}

async function closeGates(db: Db, names: readonly string[]): Promise<Gate> {
  const [letGo, isClosed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const closing = db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext(n)) from unnest(${[...names]}::text[]) n`;
    isClosed.resolve();
    await letGo.promise;
  });
  const letAllGo = async (): Promise<void> => {
    letGo.resolve();
    await closing;
  };
  onTestFinished(letAllGo);
  await isClosed.promise;
  const waiting = async (): Promise<number[]> => {
    const rows = await db<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`;
    return rows.map(({ pid }) => pid);
  };
  const untilGone = async (pids: readonly number[]): Promise<void> => {
    const busy = () => db`
      select pid from pg_stat_activity where pid = any(${[...pids]}::int[]) and state = 'active'`;
    await expect.poll(async () => (await busy()).length).toBe(0);
  };
  return {
    untilWaiting: async (statements) => {
      await expect.poll(async () => (await waiting()).length).toBe(statements);
    },
    lose: async () => {
      const pids = await waiting();
      await db`select pg_terminate_backend(pid) from unnest(${pids}::int[]) pid`;
      await untilGone(pids);
      await letAllGo();
    },
    open: async () => {
      const pids = await waiting();
      await letAllGo();
      await untilGone(pids);
    },
  };
}
