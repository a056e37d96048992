import { Logger, runMigrations } from "graphile-worker";
import postgres from "postgres";
import { baseline } from "./baseline.ts";
import { connect, type Db } from "./connect.ts";
import { inTransaction, type Tx, withoutText } from "./driver-workarounds.ts";
import { type Migration, type Migrations, readMigrations } from "./read-migrations.ts";
import {
  canTakeOver,
  functionSetRow,
  type MigrationRow,
  requireFit,
  schemaState,
} from "./schema-state.ts";

/** One lock for all replicas; the number is arbitrary but must never change. */
const advisoryLock = 8_420_000_001;
const lockTimeout = "5s";
const lockTries = 12;
const lockNotAvailable = "55P03";
const quiet = new Logger(() => () => {});
/** What the tables call is there before them, the other functions after them. */
const beforeTables = "functions/before-tables";

/**
 * Migrates the schema to this version and returns the names of the applied files. Replicas that start at
 * once apply each file once. Throws an OperatorError when the schema is newer, or was changed afterwards.
 */
export async function migrate(url: string, directory?: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const db = connect(url, { applicationName: "svc-migrate", max: 1, statementTimeoutMs: 0 });
  const state = async (tx: Db | Tx) => await schemaState(tx, directory);
  try {
    requireFit(await state(db));
    await underLock(db, () => migrateWorker(url));
    const applied = await underLock(db, async (tx) => await takeOver(tx, migrations));
    const apply = async (files: readonly Migration[]) => {
      const work = async (tx: Tx) => await applyMissing(tx, { state, files, migrations });
      applied.push(...(await underLock(db, work).catch(sayBusy(files))));
    };
    const { numbered, functions } = migrations;
    if ((await state(db)).some((row) => row.state === "pending" && !isFunctions(row))) {
      await apply(functions.filter(({ name }) => name === beforeTables));
    }
    for (const migration of numbered) await apply([migration]);
    await apply(functions);
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

/** Writes down as applied what a database of before the baseline has already. */
async function takeOver(tx: Tx, migrations: Migrations): Promise<string[]> {
  if (!(await canTakeOver(tx, migrations))) return [];
  const taken = migrations.numbered.filter(({ name }) => name <= baseline.last);
  for (const file of taken) await noteMigration(tx, file);
  return taken.map(({ name }) => name);
}

type Missing = {
  readonly state: (tx: Tx) => Promise<MigrationRow[]>;
  readonly files: readonly Migration[];
  readonly migrations: Migrations;
};

/** Applies those of the files that the database lacks, or has with another text; answers their names. */
async function applyMissing(tx: Tx, { state, files, migrations }: Missing): Promise<string[]> {
  const rows = await state(tx);
  requireFit(rows);
  const pending = new Set(rows.filter((row) => row.state === "pending").map(({ name }) => name));
  const missing = files.filter(({ name }) => pending.has(name));
  for (const file of missing) {
    // A function may call one that a later file makes.
    if (isFunctions(file)) await tx`select set_config('check_function_bodies', 'off', true)`;
    await applyFile(tx, file);
    if (isFunctions(file)) await noteFunctions(tx, file, migrations.revision);
    else await noteMigration(tx, file);
  }
  const isOfSet = files === migrations.functions || missing.some(isFunctions);
  if (isOfSet && migrations.functions.length > 0) await noteSet(tx, migrations);
  return missing.map(({ name }) => name);
}

const isFunctions = ({ name }: Pick<Migration, "name">): boolean => name.startsWith("functions/");

async function noteMigration(tx: Tx, { name, checksum }: Migration): Promise<void> {
  await tx`insert into svc_migrations (name, checksum) values (${name}, ${checksum})`;
}

/** The file's revision is that of the set that brought its text. */
async function noteFunctions(
  tx: Tx,
  { name, checksum }: Migration,
  revision: number,
): Promise<void> {
  await tx`
    insert into svc_functions (name, checksum, revision) values (${name}, ${checksum}, ${revision})
    on conflict (name) do update
       set checksum = excluded.checksum, revision = excluded.revision, applied_at = excluded.applied_at`;
}

/** The set comes with its first file: from then on an older version does not put its functions over these. */
async function noteSet(tx: Tx, { revision, setChecksum }: Migrations): Promise<void> {
  await tx`
    insert into svc_functions as s (name, checksum, revision)
    values (${functionSetRow}, ${setChecksum}, ${revision})
    on conflict (name) do update
       set checksum = excluded.checksum, revision = excluded.revision, applied_at = excluded.applied_at
     where s.revision < excluded.revision`;
}

async function applyFile(tx: Tx, { name, text }: Migration): Promise<void> {
  try {
    await tx.unsafe(text).simple();
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code === lockNotAvailable) throw error;
    throw withoutText(`migration ${name}`, text, error);
  }
}

/**
 * Runs the work in one transaction that holds the lock: this works through a transaction pooler, too, and a
 * killed migrator leaves no lock behind. Waiting behind a long reader would block every later statement on
 * the table, so a migration waits a few seconds for its table locks, gives up and tries again.
 */
async function underLock<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await inTransaction(db, async (tx) => {
        await tx`select pg_advisory_xact_lock(${advisoryLock})`;
        await tx`
          select set_config('lock_timeout', ${lockTimeout}, true),
                 set_config('idle_in_transaction_session_timeout', '0', true)`;
        await makeTables(tx);
        return await work(tx);
      });
    } catch (error) {
      const isBusy = error instanceof postgres.PostgresError && error.code === lockNotAvailable;
      if (!isBusy || tryNumber === lockTries) throw error;
    }
  }
}

/** Names the file that could not get a table's lock. */
function sayBusy(files: readonly Migration[]): (error: unknown) => never {
  return (error) => {
    const isBusy = error instanceof postgres.PostgresError && error.code === lockNotAvailable;
    if (!isBusy) throw error;
    throw new Error(`migration ${files.map(({ name }) => name).join(", ")}: ${error.message}`);
  };
}

async function makeTables(tx: Tx): Promise<void> {
  await tx`
    create table if not exists svc_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`;
  await tx`
    create table if not exists svc_functions (
      name text primary key,
      checksum text not null,
      revision integer not null,
      applied_at timestamptz not null default clock_timestamp()
    )`;
}

/** The follow-up queue's own tables and functions, so that `graphile_worker.add_job` exists. */
async function migrateWorker(url: string): Promise<void> {
  await runMigrations({ connectionString: url, noHandleSignals: true, logger: quiet });
}
