import { Logger, runMigrations } from "graphile-worker";
import postgres from "postgres";
import { OperatorError } from "../../shared/operator-error.ts";
import { connect, type Db } from "./connect.ts";
import { type Migration, readMigrations } from "./read-migrations.ts";

export type MigrationState = "applied" | "pending" | "changed" | "unknown";
export type MigrationRow = {
  readonly name: string;
  readonly state: MigrationState;
  readonly appliedAt: Date | null;
};
type AppliedRow = { name: string; checksum: string; applied_at: Date };
type Tx = postgres.TransactionSql<{ bigint: number }>;

/** One lock for all replicas; the number is arbitrary but must never change. */
const advisoryLock = 8_420_000_001;
const lockTimeout = "5s";
const lockTries = 12;
const lockNotAvailable = "55P03";
const quiet = new Logger(() => () => {});

/**
 * Brings the schema to what this version knows and answers the names it applied. Replicas that start at
 * once apply each file once. Throws an OperatorError when the schema is newer, or was changed afterwards.
 */
export async function migrate(url: string, directory?: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const db = connect(url, { applicationName: "svc-migrate", max: 1, statementTimeoutMs: 0 });
  try {
    requireFit(await schemaState(db, directory));
    await underLock(db, () => migrateWorker(url));
    const applied: string[] = [];
    for (const migration of migrations) {
      if (await applyOnce(db, migration, directory)) applied.push(migration.name);
    }
    return applied;
  } finally {
    await db.end({ timeout: 5 });
  }
}

/** Every migration that this version knows or that the database has, in order. */
export async function listMigrations(url: string, directory?: string): Promise<MigrationRow[]> {
  const db = connect(url, { applicationName: "svc-migrate", max: 1 });
  try {
    return await schemaState(db, directory);
  } finally {
    await db.end({ timeout: 5 });
  }
}

/** What the database's schema is, against the files of this version; changes nothing. */
export async function schemaState(db: Db | Tx, directory?: string): Promise<MigrationRow[]> {
  const migrations = await readMigrations(directory);
  const applied = new Map((await appliedRows(db)).map((row) => [row.name, row]));
  const known = migrations.map(({ name, checksum }): MigrationRow => {
    const row = applied.get(name);
    if (row === undefined) return { name, state: "pending", appliedAt: null };
    const state = row.checksum === checksum ? "applied" : "changed";
    return { name, state, appliedAt: row.applied_at };
  });
  const names = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied.values()]
    .filter(({ name }) => !names.has(name))
    .map((row): MigrationRow => ({ name: row.name, state: "unknown", appliedAt: row.applied_at }));
  return [...known, ...unknown].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws an OperatorError unless the schema is exactly what this version knows. */
export async function requireCurrentSchema(db: Db, directory?: string): Promise<void> {
  const rows = await schemaState(db, directory);
  requireFit(rows);
  const pending = named(rows, "pending");
  if (pending !== "") {
    throw new OperatorError(`The database lacks ${pending}: run "svc migrate up" first.`);
  }
}

function requireFit(rows: readonly MigrationRow[]): void {
  const unknown = named(rows, "unknown");
  if (unknown !== "") {
    throw new OperatorError(
      `The database has ${unknown}, which this version does not know: run the newer svc that made it.`,
    );
  }
  const changed = named(rows, "changed");
  if (changed !== "") {
    throw new OperatorError(
      `The database was made by other text than that of ${changed}: an applied migration must not be edited.`,
    );
  }
  const lastApplied = rows.findLastIndex(({ state }) => state === "applied");
  const skipped = named(rows.slice(0, Math.max(lastApplied, 0)), "pending");
  if (skipped !== "") {
    throw new OperatorError(
      `The database lacks ${skipped}, but has later migrations: give it a number after the last one.`,
    );
  }
}

function named(rows: readonly MigrationRow[], wanted: MigrationState): string {
  return rows
    .filter(({ state }) => state === wanted)
    .map(({ name }) => name)
    .join(", ");
}

/** True when this call applied the file; false when it was there already. */
async function applyOnce(db: Db, migration: Migration, directory?: string): Promise<boolean> {
  const { name, text, checksum } = migration;
  try {
    return await underLock(db, async (tx) => {
      const rows = await schemaState(tx, directory);
      requireFit(rows);
      if (rows.find((row) => row.name === name)?.state === "applied") return false;
      await tx.unsafe(text).simple();
      await tx`insert into svc_migrations (name, checksum) values (${name}, ${checksum})`;
      return true;
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const line = text.slice(0, Number(error.position ?? 0)).split("\n").length;
    // The driver's error as a cause would repeat the whole file.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(`migration ${name}, near line ${line}: ${error.message} ${error.where ?? ""}`);
  }
}

/**
 * Runs the work in one transaction that holds the lock: it works through a transaction pooler too, and a
 * killed migrator leaves no lock behind. Waiting behind a long reader would block every later statement on
 * the table, so a migration waits a few seconds for its table locks, steps back and tries again.
 */
async function underLock<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      const result = await db.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${advisoryLock})`;
        await tx`
          select set_config('lock_timeout', ${lockTimeout}, true),
                 set_config('idle_in_transaction_session_timeout', '0', true)`;
        await tx`
          create table if not exists svc_migrations (
            name text primary key,
            checksum text not null,
            applied_at timestamptz not null default clock_timestamp()
          )`;
        return { value: await work(tx) };
      });
      return result.value;
    } catch (error) {
      const isBusy = error instanceof postgres.PostgresError && error.code === lockNotAvailable;
      if (!isBusy || tryNumber === lockTries) throw error;
    }
  }
}

/** The follow-up queue's own tables and functions, so that `graphile_worker.add_job` exists. */
async function migrateWorker(url: string): Promise<void> {
  await runMigrations({ connectionString: url, noHandleSignals: true, logger: quiet });
}

async function appliedRows(db: Db | Tx): Promise<AppliedRow[]> {
  const [found] = await db<{ table: string | null }[]>`
    select to_regclass('svc_migrations')::text as table`;
  if (found?.table == null) return [];
  return await db<AppliedRow[]>`select name, checksum, applied_at from svc_migrations`;
}
