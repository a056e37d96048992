import postgres from "postgres";
import { OperatorError } from "../../shared/operator-error.ts";
import { appendRows, noPipeline, readTypesOnce, reconnectDelayS } from "./driver-workarounds.ts";

/** A pool of connections; its tagged template runs one statement, int8 arrives as a number. */
export type Db = postgres.Sql<{ bigint: number }>;

export type ConnectOptions = {
  readonly applicationName?: string;
  /** The most connections the pool opens (10 unless told). */
  readonly max?: number;
  /** A statement that runs longer is ended by Postgres; 0 means never (30,000 unless told). */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** A statement that waits longer for one lock is given up; 0 means never, as does leaving it out. */
  readonly lockTimeoutMs?: number;
  /**
   * One statement per connection at a time: a statement waits for the first free connection, not behind one
   * that may be long. Transactions are not possible on such a pool.
   */
  readonly isOneByOne?: true;
};

/** Opens a pool lazily: nothing is sent before the first statement. Close it with `db.end()`. */
export function connect(url: string, options: ConnectOptions = {}): Db {
  requirePostgresUrl(url);
  const settings = {
    max: options.max ?? 10,
    connect_timeout: (options.connectTimeoutMs ?? 10_000) / 1000,
    backoff: reconnectDelayS,
    onnotice: () => {},
    types: { bigint: int8 },
    connection: {
      application_name: options.applicationName ?? "svc",
      statement_timeout: options.statementTimeoutMs ?? 30_000,
      lock_timeout: options.lockTimeoutMs ?? 0,
      idle_in_transaction_session_timeout: 60_000,
      // Short statements planned once: compiling them costs more than it saves.
      jit: false,
      TimeZone: "UTC",
    },
    ...(options.isOneByOne === true && noPipeline),
  };
  const db = postgres(url, settings);
  readTypesOnce(db);
  appendRows(db);
  return db;
}

/** Nanosecond timeouts of 30 days and row counts fit in 2^53; anything larger is a bug, said aloud. */
const int8 = {
  to: 20,
  from: [20],
  serialize: (value: number | bigint) => value.toString(),
  parse: (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is not a safe integer`);
    return value;
  },
};

/** Never repeats the text: it may hold a password. */
function requirePostgresUrl(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "postgres:" && protocol !== "postgresql:") {
    throw new OperatorError("The database URL must look like postgres://user@host:5432/name.");
  }
}
